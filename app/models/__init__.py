"""The models: the loaded one, the library, the hub, downloads and quantizing."""

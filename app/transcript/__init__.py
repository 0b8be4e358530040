"""The conversation on screen: virtualised message cards over the conversation model."""

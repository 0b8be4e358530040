/* Preloaded where Vulkan runs on Mesa's software driver: keeps every VkBuffer until the process ends.

   llama.cpp uses its descriptor sets again without emptying them, so bindings that no shader reads still name what an
   earlier graph had there, such as the scratch buffer of flash attention that has been replaced by a larger one. Vulkan
   allows that. Mesa 22.3's software driver takes a reference to the buffer of every binding all the same: it counts in
   freed memory, and now and then frees what has come to lie there. A kept VkBuffer costs 500 bytes; the memory bound to
   it is freed as ever. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

typedef void (*Function)(void);
typedef Function (*Lookup)(void *owner, const char *name);

static void keep(void *device, uint64_t buffer, const void *allocator)
{
    (void)device, (void)buffer, (void)allocator;
}

static Function look_up(const char *how, void *owner, const char *name)
{
    if (strcmp(name, "vkDestroyBuffer") == 0)
        return (Function)keep;
    void *loader = dlopen("libvulkan.so.1", RTLD_LAZY | RTLD_LOCAL);
    Lookup real = loader ? (Lookup)dlsym(loader, how) : NULL;
    return real ? real(owner, name) : NULL;
}

Function vkGetInstanceProcAddr(void *instance, const char *name)
{
    return look_up("vkGetInstanceProcAddr", instance, name);
}

Function vkGetDeviceProcAddr(void *device, const char *name)
{
    return look_up("vkGetDeviceProcAddr", device, name);
}

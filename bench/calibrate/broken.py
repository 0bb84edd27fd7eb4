"""python3 broken.py -- OUT EFFORT WIDTH SEEDS FRAMES LOOK: renders the shots of render.py with faults made in the renderer.

OUT is where render.py put the same shots. Files go to OUT-broken/FAULT/SHOT/FFFF.png, with the noise of a seed that no other frame has;
FAULT "none" is without one. looks.py judges them."""
import os

import bpy

import render

SEED = 30


def inputs(name, socket):
    """The sockets of all materials that are called so."""
    found = [m.node_tree.nodes['Principled BSDF'] for m in bpy.data.materials if m.name.split('.')[0] == name]
    return [render.socket(node, socket) for node in found]


def plain(name, colour):
    def fault(scene):
        for socket in inputs(name, 'Base Color'):
            for link in socket.links:
                socket.id_data.links.remove(link)
            socket.default_value = (*colour, 1)
    return fault


def rougher(name, by):
    def fault(scene):
        for socket in inputs(name, 'Roughness'):
            socket.default_value += by
    return fault


def refracting(ior):
    def fault(scene):
        for socket in inputs('glass', 'IOR'):
            socket.default_value = ior
    return fault


def brighter(light, by):
    """`light`: which of the lamps; the garden has a sun, and its sky as the second."""
    def fault(scene):
        lamps = inputs('lamp', 'Emission Strength')
        if lamps:
            lamps[light].default_value *= by
        elif light == 0:
            bpy.data.lights[0].energy *= by
        else:
            scene.world.node_tree.nodes['Background'].inputs[1].default_value *= by
    return fault


def without(kind):
    def fault(scene):
        things = [o for o in scene.objects if o.active_material and o.active_material.name.split('.')[0] == kind]
        bpy.data.objects.remove(things[-1])
    return fault


def moved(pixels):
    def fault(scene):
        scene.camera.data.shift_x += pixels / render.WIDTH
    return fault


def setting(of, name, value):
    """`of`: "cycles" or "view_settings"; a number multiplies."""
    def fault(scene):
        held = getattr(scene, of)
        setattr(held, name, max(1, round(getattr(held, name) * value)) if isinstance(value, float) else value)
    return fault


EVERYWHERE = {
    'none': lambda scene: None,
    'key light 5 % brighter': brighter(0, 1.05),
    'key light 10 % brighter': brighter(0, 1.1),
    'second light 10 % brighter': brighter(1, 1.1),
    'half of the samples': setting('cycles', 'samples', 0.5),
    'denoiser off': None,
    'camera off by 0.5 pixels': moved(0.5),
    'camera off by 0.1 pixels': moved(0.1),
    '2 bounces for 5': setting('cycles', 'max_bounces', 2),
    'view transform Filmic': setting('view_settings', 'view_transform', 'Filmic'),
}
OF_SHOT = {
    render.garden: {'texture missing': plain('brick', (.5, .2, .1)), 'roughness': rougher('brick', -.3),
                    'object missing': without('stone')},
    render.cellar: {'texture missing': plain('plaster', (.55, .5, .45)), 'roughness': rougher('crate', .15),
                    'object missing': without('crate')},
    render.glassware: {'texture missing': plain('table', (.4, .22, .12)), 'roughness': rougher('table', .1),
                       'object missing': without('metal'), 'IOR 1.42 for 1.45': refracting(1.42),
                       'caustics off': setting('cycles', 'caustics_refractive', False)},
}


def main():
    for make, own in OF_SHOT.items():
        for name, fault in {**EVERYWHERE, **own}.items():
            paths = [f'{render.OUT}-broken/{name}/{make.__name__}/{frame:04d}.png' for frame in range(1, render.FRAMES + 1)]
            if all(map(os.path.exists, paths)):
                continue
            scene = render.build(make)
            if fault:
                fault(scene)
            for frame, path in enumerate(paths, 1):
                render.shoot(scene, path, SEED, frame, render.LOOK == 'denoised' and fault is not None)


if __name__ == '__main__':
    main()

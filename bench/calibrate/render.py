"""blender -b --factory-startup -P render.py -- OUT EFFORT WIDTH [SEEDS FRAMES [LOOK]]: renders noisy shots for evaluate.py.

It needs Debian's package blender alone (3.4, Cycles on the CPU). Three shots with a slow camera (garden, cellar and
glassware) go to OUT/SHOT/seedSS/FFFF.png, with the noise of 24 seeds and 20 frames. Samples are EFFORT times 16, 8 and
12. The pictures of bench/results/calibrate.md are those of `shots 1 320`.

Files that are there already are left alone, so that a run that was stopped goes on. All seeds of a frame of all shots
come first, then the next frame: what is there is always fit for use. With a Blender that has a denoiser, which
Debian's lacks, OUT/SHOT/denoised/FFFF.png show seed 0 denoised. LOOK "warm" dims the sky and warms every light, as a second
look that a supervisor accepts beside the first. LOOK "denoised" is as Blender comes: indirect light clamped to 10, each frame
denoised; `python3 render.py -- ...` with bpy 4.2 from PyPI makes it."""
import math
import os
import random
import sys

import bpy

ARGS = sys.argv[sys.argv.index('--') + 1:]
OUT, EFFORT, WIDTH = ARGS[0], float(ARGS[1]), int(ARGS[2])
SEEDS = int(ARGS[3]) if len(ARGS) > 3 else 24
FRAMES = int(ARGS[4]) if len(ARGS) > 4 else 20
LOOK = ARGS[5] if len(ARGS) > 5 else None


def socket(node, name):
    """Blender 4 has longer names of some inputs."""
    return next(i for n in (name, name + ' Color', name + ' Weight') for i in node.inputs if i.name == n)


def material(name, colour, **inputs):
    m = bpy.data.materials.new(name)
    m.use_nodes = True
    b = m.node_tree.nodes['Principled BSDF']
    b.inputs['Base Color'].default_value = (*colour, 1)
    for key, value in inputs.items():
        socket(b, key.replace('_', ' ')).default_value = value
    return m


def noisy(m, kind, scale, dark, light):
    """Lets a procedural texture drive the colour."""
    t = m.node_tree
    tex, ramp = t.nodes.new(kind), t.nodes.new('ShaderNodeValToRGB')
    tex.inputs['Scale'].default_value = scale
    ramp.color_ramp.elements[0].color = (*dark, 1)
    ramp.color_ramp.elements[1].color = (*light, 1)
    t.links.new(tex.outputs[0], ramp.inputs[0])
    t.links.new(ramp.outputs[0], t.nodes['Principled BSDF'].inputs['Base Color'])
    return m


def dress(m):
    bpy.context.object.data.materials.append(m)
    return bpy.context.object


def lamp(where, radius, colour, strength):
    bpy.ops.mesh.primitive_ico_sphere_add(radius=radius, location=where, subdivisions=2)
    m = material('lamp', colour)
    b = m.node_tree.nodes['Principled BSDF']
    socket(b, 'Emission').default_value = (*colour, 1)
    b.inputs['Emission Strength'].default_value = strength
    dress(m)


def sky(scene, colour, strength):
    w = bpy.data.worlds.new('sky')
    scene.world = w
    w.use_nodes = True
    w.node_tree.nodes['Background'].inputs[0].default_value = (*colour, 1)
    w.node_tree.nodes['Background'].inputs[1].default_value = strength


def camera(scene, path, target, lens, fstop=None):
    """The camera goes from path[0] to path[1] over the shot and looks at target."""
    bpy.ops.object.empty_add(location=target)
    aim = bpy.context.object
    bpy.ops.object.camera_add(location=path[0])
    cam = bpy.context.object
    cam.data.lens = lens
    c = cam.constraints.new('TRACK_TO')
    c.target, c.track_axis, c.up_axis = aim, 'TRACK_NEGATIVE_Z', 'UP_Y'
    for frame, where in ((1, path[0]), (20, path[1])):
        cam.location = where
        cam.keyframe_insert('location', frame=frame)
    if fstop:
        cam.data.dof.use_dof = True
        cam.data.dof.focus_object = aim
        cam.data.dof.aperture_fstop = fstop
    scene.camera = cam


def garden(scene):
    """Sun, gravel, grass blades and a wall of bricks: fine texture, little noise, some sky."""
    rnd = random.Random(7)
    bpy.ops.mesh.primitive_plane_add(size=60)
    dress(noisy(material('gravel', (.5, .5, .5), Roughness=.9), 'ShaderNodeTexVoronoi', 350, (.08, .07, .05), (.42, .38, .34)))
    bpy.ops.mesh.primitive_cube_add(location=(0, 6, 1.2), scale=(7, .2, 1.2))
    brick = material('brick', (.5, .2, .1), Roughness=.8)
    tex = brick.node_tree.nodes.new('ShaderNodeTexBrick')
    tex.inputs['Scale'].default_value = 12
    brick.node_tree.links.new(tex.outputs[0], brick.node_tree.nodes['Principled BSDF'].inputs['Base Color'])
    dress(brick)
    blade = material('blade', (.1, .3, .04), Roughness=.5)
    bpy.ops.mesh.primitive_cone_add(vertices=3, radius1=.03, depth=.6)
    mesh = dress(blade).data
    for _ in range(500):
        o = bpy.data.objects.new('blade', mesh)
        o.location = (rnd.uniform(-5, 5), rnd.uniform(-2, 5), .25)
        o.rotation_euler = (rnd.uniform(-.4, .4), rnd.uniform(-.4, .4), rnd.uniform(0, 3))
        scene.collection.objects.link(o)
    for _ in range(9):
        bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=3, radius=rnd.uniform(.2, .6),
                                              location=(rnd.uniform(-4, 4), rnd.uniform(-1, 5), .3))
        dress(noisy(material('stone', (.4, .4, .4), Roughness=.8), 'ShaderNodeTexNoise', 9, (.05, .05, .05), (.5, .46, .4)))
    bpy.ops.object.light_add(type='SUN', rotation=(.8, .3, .2))
    bpy.context.object.data.energy = 2.2
    bpy.context.object.data.angle = .03
    sky(scene, (.45, .6, .9), .6)
    camera(scene, ((-1, -7, 2.2), (.2, -6.6, 2.3)), (0, 3, 1), 32)


def cellar(scene):
    """A closed room that two small lamps light, one behind a screen: much noise, dark corners."""
    rnd = random.Random(11)
    bpy.ops.mesh.primitive_cube_add(location=(0, 0, 2), scale=(5, 7, 2))
    dress(noisy(material('plaster', (.6, .55, .5), Roughness=.9), 'ShaderNodeTexNoise', 6, (.35, .3, .26), (.7, .66, .6)))
    for _ in range(10):
        make = rnd.choice((bpy.ops.mesh.primitive_cube_add, bpy.ops.mesh.primitive_cylinder_add, bpy.ops.mesh.primitive_torus_add))
        make(location=(rnd.uniform(-3.5, 3.5), rnd.uniform(-1, 5), .5), rotation=(0, 0, rnd.uniform(0, 3)))
        bpy.context.object.scale = (.5, .5, .5)
        dress(material('crate', [rnd.uniform(.1, .8) for _ in range(3)], Roughness=rnd.choice((.15, .5, .8)),
                       Metallic=rnd.choice((0, 0, 1))))
    bpy.ops.mesh.primitive_plane_add(location=(-1.6, 2.5, 1.4), rotation=(math.pi / 2, 0, .5), size=2)
    dress(material('screen', (.7, .3, .2), Roughness=.9))
    lamp((2.2, 3, 3), .12, (1, .8, .55), 260)
    lamp((-2.6, 3.6, 1.6), .1, (.6, .75, 1), 220)
    sky(scene, (0, 0, 0), 0)
    camera(scene, ((.6, -6.2, 1.9), (-.2, -5.8, 1.9)), (0, 3, 1.1), 26)


def glassware(scene):
    """Glass and metal over a glossy table, caustics allowed, an open aperture: fireflies and soft noise."""
    rnd = random.Random(5)
    bpy.ops.mesh.primitive_plane_add(size=30)
    dress(noisy(material('table', (.5, .3, .2), Roughness=.25), 'ShaderNodeTexWave', 3, (.25, .12, .06), (.55, .33, .18)))
    bpy.ops.mesh.primitive_plane_add(size=30, location=(0, 9, 0), rotation=(math.pi / 2, 0, 0))
    dress(material('backdrop', (.25, .3, .35), Roughness=.9))
    for i in range(11):
        make = rnd.choice((bpy.ops.mesh.primitive_uv_sphere_add, bpy.ops.mesh.primitive_torus_add, bpy.ops.mesh.primitive_monkey_add))
        make(location=(rnd.uniform(-2.6, 2.6), rnd.uniform(-1.5, 4), .6), rotation=[rnd.uniform(0, 3) for _ in range(3)])
        bpy.context.object.scale = (.5, .5, .5)
        if i % 2:
            dress(material('glass', (.95, .97, .95), Roughness=.02, Transmission=1))
        else:
            dress(material('metal', [rnd.uniform(.4, .9) for _ in range(3)], Roughness=rnd.choice((.05, .3)), Metallic=1))
    lamp((2.5, -1, 4), .2, (1, .9, .75), 150)
    lamp((-3, 2, 3), .15, (.7, .8, 1), 120)
    sky(scene, (.4, .5, .6), .12)
    scene.cycles.caustics_reflective = scene.cycles.caustics_refractive = True
    scene.cycles.blur_glossy = 0
    camera(scene, ((-.5, -5.5, 2.2), (.3, -5.3, 2.1)), (0, 1, .5), 45, fstop=.9)


def warm(scene):
    tint = (1, .82, .62)
    for light in bpy.data.lights:
        light.color = [a * b for a, b in zip(light.color, tint)]
    for m in bpy.data.materials:
        glow = socket(m.node_tree.nodes['Principled BSDF'], 'Emission').default_value
        glow[:3] = [a * b for a, b in zip(glow[:3], tint)]
    scene.world.node_tree.nodes['Background'].inputs[1].default_value *= .8


def build(make):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    s = bpy.context.scene
    s.render.engine = 'CYCLES'
    make(s)
    if LOOK == 'warm':
        warm(s)
    s.cycles.samples = max(1, round(EFFORT * {garden: 16, cellar: 8, glassware: 12}[make]))
    s.cycles.use_adaptive_sampling = False
    s.cycles.max_bounces = 5
    s.cycles.sample_clamp_indirect = 10 if LOOK == 'denoised' else 0
    s.render.threads_mode, s.render.threads = 'FIXED', 2
    s.render.use_persistent_data = True
    s.render.resolution_x, s.render.resolution_y = WIDTH, WIDTH * 9 // 16
    s.render.resolution_percentage = 100
    s.view_settings.view_transform = 'Standard'
    s.render.image_settings.color_mode, s.render.image_settings.color_depth = 'RGB', '8'
    s.render.dither_intensity = 0
    return s


def shoot(s, path, seed, frame, denoise=False):
    if os.path.exists(path):
        return
    s.frame_set(frame)
    s.cycles.seed = seed * 1000 + frame
    s.cycles.use_denoising = denoise
    s.render.filepath = path[:-4] + '.shot.png'
    bpy.ops.render.render(write_still=True)
    os.rename(s.render.filepath, path)


def main():
    for frame in range(1, FRAMES + 1):
        for make in (garden, cellar, glassware):
            shot = f'{OUT}/{make.__name__}'
            todo = [(f'{shot}/seed{k:02d}/{frame:04d}.png', k, LOOK == 'denoised') for k in range(SEEDS)]
            if LOOK != 'denoised':
                todo.append((f'{shot}/denoised/{frame:04d}.png', 0, True))
            if all(os.path.exists(p) for p, _, _ in todo):
                continue
            s = build(make)
            for p, k, denoise in todo:
                try:
                    shoot(s, p, k, frame, denoise)
                except RuntimeError as e:
                    if not denoise or LOOK == 'denoised':
                        raise
                    print('no denoiser:', e)


if __name__ == '__main__':
    main()

import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import type { SessionTemplate } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { templateText } from './file.ts'
import { openTemplateFolder } from './folder.ts'
import { tempFolder, template, unwrap } from './make.test-kit.ts'
import { folderShelf } from './storage-folder.ts'

const DAY_MS = 86_400_000

function open(more: { readonly now?: () => number } = {}) {
  const home = tempFolder()
  const [ours, hermes] = [join(home, 'made', 'templates'), join(home, 'hermes')]
  const folder = openTemplateFolder({
    ours: folderShelf(ours),
    ofHermes: folderShelf(hermes),
    ...more,
  })
  const write = (where: string, file: string, value: unknown) => {
    mkdirSync(where, { recursive: true })
    writeFileSync(join(where, file), typeof value === 'string' ? value : JSON.stringify(value))
  }
  const all = async () => unwrap(await folder.all())
  return {
    ours,
    hermes,
    folder,
    write,
    all,
    put: (value: SessionTemplate, force = false) => folder.put(value, { force }),
    count: async (name: string) =>
      (await all()).stored.find(({ template }) => template.name === name)?.template.usage_count,
    kept: () => readdirSync(join(ours, '.deleted')),
  }
}

describe('template folder', () => {
  it('is empty while it does not exist, and is not created by reading', async () => {
    const { all, ours } = open()
    expect(await all()).toEqual({ stored: [], broken: [] })
    expect(() => statSync(ours)).toThrow('ENOENT')
  })

  it('stores each template in a file of its name, readable by its owner alone', async () => {
    const { put, ours, all } = open()
    const file = unwrap(await put(template({ name: 'Größe 日本' })))
    expect(file).toBe(join(ours, 'Größe 日本.json'))
    expect([statSync(file).mode & 0o777, statSync(ours).mode & 0o777]).toEqual([0o600, 0o700])
    expect(readFileSync(file, 'utf8')).toBe(templateText(template({ name: 'Größe 日本' })))
    expect(await all()).toEqual({
      stored: [{ template: template({ name: 'Größe 日本' }), place: 'panoptes', file }],
      broken: [],
    })
  })

  it.each(['../escape', '/abs', 'a/b', '..', '', 'x\0', 'CON'])('rejects the name %j', async (name) => {
    const { put, ours } = open()
    expect(await put(template({ name }), true)).toMatchObject({ ok: false, code: 'invalid' })
    expect(() => readdirSync(ours)).toThrow('ENOENT')
  })

  it('overwrites a template of the same name only with force', async () => {
    const { put, all } = open()
    await put(template({ description: 'first' }))
    expect(await put(template({ description: 'second' }))).toMatchObject({
      ok: false,
      code: 'invalid',
      message: expect.stringContaining('already'),
    })
    expect((await all()).stored[0]?.template.description).toBe('first')
    expect(await put(template({ description: 'third' }), true)).toMatchObject({ ok: true })
    expect((await all()).stored.map(({ template }) => template.description)).toEqual(['third'])
  })

  it('keeps an overwritten template with the deleted ones', async () => {
    const { put, ours, kept } = open()
    await put(template({ description: 'first' }))
    expect(await put(template({ description: 'second' }), true)).toMatchObject({ ok: true })
    const [old = ''] = kept()
    expect(readFileSync(join(ours, '.deleted', old), 'utf8')).toContain('first')
  })

  it('rejects a name that collides on some systems or with Hermes, even with force', async () => {
    const { put, write, hermes, all } = open()
    await put(template({ name: 'Constructor' }))
    write(hermes, 'theirs.json', template({ name: 'of Hermes' }))
    for (const [name, says] of [
      [
        'constructor',
        'A template named Constructor already exists, and some systems treat the names as equal.',
      ],
      ['Of Hermes', 'Hermes has a template named of Hermes: '],
      ['of Hermes', 'Hermes has a template named of Hermes: '],
    ] as const)
      for (const force of [false, true])
        expect(await put(template({ name }), force)).toMatchObject({
          ok: false,
          message: expect.stringContaining(says),
        })
    expect((await all()).stored).toHaveLength(2)
  })

  it('finds a name in any Unicode normalization', async () => {
    const { put, folder, count } = open()
    const [composed, decomposed] = ['caf\u00e9', 'cafe\u0301']
    await put(template({ name: decomposed }))
    unwrap(await folder.countUse(decomposed))
    expect(await count(composed)).toBe(1)
    unwrap(await folder.remove(decomposed))
    unwrap(await folder.restore(decomposed))
    expect(await count(composed)).toBe(1)
  })

  it('overwrites the file that contains the name, not the file called like it', async () => {
    const { put, write, ours, all } = open()
    write(ours, 'other.json', template({ name: 'good' }))
    expect(await put(template())).toMatchObject({ ok: false })
    expect(unwrap(await put(template({ description: 'new' }), true))).toBe(join(ours, 'other.json'))
    expect((await all()).stored).toHaveLength(1)
  })

  it('never overwrites a file that is not a template of this name', async () => {
    const { put, write, ours } = open()
    write(ours, 'good.json', '{half')
    write(ours, 'better.json', template({ name: 'another' }))
    for (const name of ['good', 'better'])
      expect(await put(template({ name }), true)).toMatchObject({ ok: false, code: 'invalid' })
    expect(await put(template({ name: 'better' }))).toMatchObject({
      message: `${join(ours, 'better.json')} contains a template named another. Choose another name.`,
    })
    expect(readFileSync(join(ours, 'good.json'), 'utf8')).toBe('{half')
  })

  it('reports broken files with the reason and leaves them', async () => {
    const { write, ours, hermes, all, folder } = open()
    write(ours, 'half.json', '{"name": "half", ')
    write(ours, 'deep.json', `{"name":"x","task_type":"code","a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`)
    write(ours, 'fine.json', template())
    write(ours, 'twice.json', template())
    write(ours, 'notes.txt', 'no template')
    mkdirSync(join(ours, 'folder.json'))
    execFileSync('mkfifo', [join(ours, 'pipe.json')])
    symlinkSync('loop.json', join(ours, 'loop.json'))
    symlinkSync('/nowhere/at/all.json', join(ours, 'nowhere.json'))
    write(hermes, 'odd.json', { name: 'x', task_type: 'browser', examples: [] })
    const before = readdirSync(ours)
    const { stored, broken } = await all()
    expect(stored.map(({ file }) => basename(file))).toEqual(['fine.json'])
    expect(broken.map(({ file }) => basename(file))).toEqual([
      'deep.json',
      'folder.json',
      'half.json',
      'loop.json',
      'nowhere.json',
      'pipe.json',
      'twice.json',
      'odd.json',
    ])
    expect(broken.every(({ reason }) => reason.length > 5)).toBe(true)
    expect(broken.find(({ file }) => file.endsWith('twice.json'))?.reason).toContain('fine.json')
    expect(await folder.remove('half')).toMatchObject({ ok: false, code: 'not_found' })
    expect(readdirSync(ours).filter((name) => !name.startsWith('.'))).toEqual(before)
  })

  it('uses the names inside the files but identifies them by file', async () => {
    const { write, ours, folder, all } = open()
    write(ours, 'safe.json', template({ name: '../../outside' }))
    await folder.countUse('../../outside')
    expect((await all()).stored).toMatchObject([
      { file: join(ours, 'safe.json'), template: { name: '../../outside', usage_count: 1 } },
    ])
    expect(await folder.remove('../../outside')).toMatchObject({ ok: true })
    expect(await folder.restore('../../outside')).toMatchObject({ ok: true })
    expect(readdirSync(ours).filter((name) => name.endsWith('.json'))).toEqual(['safe.json'])
  })

  it('lists the templates of Hermes and never writes there', async () => {
    const { write, hermes, folder, put, all } = open()
    await put(template({ name: 'both' }))
    write(hermes, 'theirs.json', template({ name: 'theirs' }))
    write(hermes, 'both.json', template({ name: 'both', description: 'of Hermes' }))
    expect((await all()).stored.map(({ place, template }) => [place, template.name])).toEqual([
      ['panoptes', 'both'],
      ['hermes', 'both'],
      ['hermes', 'theirs'],
    ])
    const before = readFileSync(join(hermes, 'both.json'), 'utf8')
    for (const change of [folder.countUse, folder.remove])
      expect(await change('theirs')).toMatchObject({ ok: false, code: 'not_found' })
    await folder.countUse('both')
    await folder.forget([{ id: 'one' }])
    expect(readdirSync(hermes)).toEqual(['both.json', 'theirs.json'])
    expect(readFileSync(join(hermes, 'both.json'), 'utf8')).toBe(before)
  })

  it('reports what prevents access', async () => {
    const { ours, hermes, folder, put, write } = open()
    write(join(ours, '..'), 'templates', 'a file')
    expect(await folder.all()).toMatchObject({
      ok: false,
      code: 'io',
      message: expect.stringContaining(ours),
    })
    expect(await put(template())).toMatchObject({ ok: false, code: 'io' })
    expect(await folder.countUse('good')).toMatchObject({ ok: false })
    const other = open()
    await other.put(template())
    other.write(join(other.hermes, '..'), 'hermes', 'a file')
    expect(await other.folder.all()).toMatchObject({
      value: { stored: [{ place: 'panoptes' }], broken: [{ file: other.hermes }] },
    })
    expect(hermes).not.toBe(other.hermes)
  })

  it('keeps unknown keys of a file when it counts a use', async () => {
    const { write, ours, folder } = open()
    write(ours, 'mine.json', { ...template({ name: 'mine' }), tags: ['a'], usage_count: null })
    chmodSync(join(ours, 'mine.json'), 0o644)
    for (let at = 0; at < 3; at++) expect(await folder.countUse('mine')).toEqual({ ok: true, value: null })
    expect(JSON.parse(readFileSync(join(ours, 'mine.json'), 'utf8'))).toEqual({
      ...template({ name: 'mine', usage_count: 3 }),
      tags: ['a'],
    })
    expect(await folder.countUse('nobody')).toMatchObject({ ok: false, code: 'not_found' })
  })
})

describe('deleted template', () => {
  it('can be restored unchanged', async () => {
    const { put, folder, all, count, kept } = open()
    const file = unwrap(await put(template()))
    await folder.countUse('good')
    const before = readFileSync(file, 'utf8')
    expect(await folder.remove('good')).toEqual({ ok: true, value: null })
    expect(await folder.remove('good')).toMatchObject({ ok: false, message: 'Template not found: good' })
    expect((await all()).stored).toEqual([])
    expect(await folder.restore('good')).toEqual({ ok: true, value: null })
    expect(readFileSync(file, 'utf8')).toBe(before)
    expect([await count('good'), kept()]).toEqual([1, []])
    expect(await folder.restore('good')).toMatchObject({ ok: false, code: 'invalid' })
    expect(await folder.restore('never')).toMatchObject({ ok: false, code: 'not_found' })
  })

  it('is not restored over a new one; the one deleted last comes first', async () => {
    const { put, folder, all } = open()
    for (const description of ['first', 'second']) {
      await put(template({ description }))
      await folder.remove('good')
    }
    await put(template({ description: 'third' }))
    expect(await folder.restore('good')).toMatchObject({ ok: false, code: 'invalid' })
    await folder.remove('good')
    await folder.restore('good')
    expect((await all()).stored.map(({ template }) => template.description)).toEqual(['third'])
  })

  it('is kept for a day and removed by the next deletion after that', async () => {
    let now = 1_776_248_430_000
    const { put, folder, kept } = open({ now: () => now })
    await put(template({ name: 'old' }))
    await put(template({ name: 'new' }))
    await folder.remove('old')
    now += DAY_MS - 1
    await folder.remove('new')
    expect(kept()).toHaveLength(2)
    await folder.restore('new')
    now += 2
    await folder.remove('new')
    expect(kept()).toEqual([`${now}.new.json`])
    expect(await folder.restore('old')).toMatchObject({ ok: false, code: 'not_found' })
  })
})

describe('forgetting sessions', () => {
  it('removes their templates for good, including deleted and half-written ones', async () => {
    const { put, folder, all, write, ours, kept } = open()
    await put(template({ name: 'a' }))
    await put(template({ name: 'b', source_session_id: 'two' }))
    await put(template({ name: 'c', source_session_id: null }))
    await put(template({ name: 'd' }))
    await folder.remove('d')
    write(ours, 'same.json', template({ name: 'b' }))
    write(ours, 'odd.json', { source_session_id: 'one', name: 7 })
    write(ours, '.a.json.123.0123abcd', templateText(template()).slice(0, 80))
    expect(await folder.forget([{ source: 'hermes', id: 'one' }, { id: 'unknown' }])).toEqual({
      ok: true,
      value: 4,
    })
    expect((await all()).stored.map(({ template }) => template.name)).toEqual(['b', 'c'])
    expect(kept()).toEqual([])
    expect(readdirSync(ours).filter((name) => name.startsWith('.a.'))).toEqual([])
    expect(await folder.forget([])).toEqual({ ok: true, value: 0 })
  })

  it('creates no folder if there are no templates', async () => {
    const { folder, ours } = open()
    expect(await folder.forget([{ id: 'one' }])).toEqual({ ok: true, value: 0 })
    expect(() => statSync(ours)).toThrow('ENOENT')
  })
})

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { tabFiles } from './files.ts'
import { planRemoval, planTab, removeTab, type TabPlace, writeTab } from './install.ts'

const ORIGIN = 'http://127.0.0.1:9119'
const FILES = tabFiles({ address: 'http://127.0.0.1:8201', origin: ORIGIN }, '1.2.3')
const NEWER = tabFiles({ address: 'http://127.0.0.1:8201', origin: ORIGIN }, '1.2.4')

let root: string
let place: TabPlace
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'panoptes-tab-'))
  place = { hermes: join(root, 'hermes'), record: join(root, 'hermes-tab.json') }
  mkdirSync(place.hermes)
  writeFileSync(join(place.hermes, 'config.yaml'), 'model: x\n')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const all = () => readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()
const own = (path: string) => join(place.hermes, 'plugins', 'panoptes-achievements', 'dashboard', path)

async function install(files = FILES, origins: readonly string[] = [ORIGIN]) {
  const plan = planTab(place, files, ORIGIN)
  if (!plan.ok) return plan
  return writeTab(place, plan.value, origins)
}

function uninstall() {
  const removal = planRemoval(place)
  if (removal) removeTab(place, removal)
  return removal
}

describe('Panoptes tab in the Hermes dashboard', () => {
  it('declares only a tab: no slots on other pages and no code in Hermes itself', () => {
    const manifest = JSON.parse(FILES.find(({ path }) => path.endsWith('manifest.json'))?.text ?? '')
    expect(manifest).toEqual({
      name: 'panoptes-achievements',
      label: 'Panoptes',
      description: expect.any(String),
      icon: 'Star',
      version: '1.2.3',
      tab: { path: '/panoptes-achievements', position: 'after:analytics' },
      entry: 'dist/index.js',
    })
  })

  it('requests achievements once, and never an overview', () => {
    const entry = FILES.find(({ path }) => path.endsWith('index.js'))?.text ?? ''
    expect(entry.match(/fetch\(/g)).toHaveLength(1)
    expect(entry).toContain('/api/achievements?source=hermes')
    expect(entry).not.toMatch(/overview|registerSlot|sessions:top|analytics:top|Bearer|token/i)
  })

  it('consists of four files in its own folder, readable by the owner alone', async () => {
    expect(await install()).toMatchObject({ ok: true })
    expect(all()).toEqual([
      'hermes',
      'hermes-tab.json',
      'hermes/config.yaml',
      'hermes/plugins',
      'hermes/plugins/panoptes-achievements',
      'hermes/plugins/panoptes-achievements/__init__.py',
      'hermes/plugins/panoptes-achievements/dashboard',
      'hermes/plugins/panoptes-achievements/dashboard/dist',
      'hermes/plugins/panoptes-achievements/dashboard/dist/index.js',
      'hermes/plugins/panoptes-achievements/dashboard/manifest.json',
      'hermes/plugins/panoptes-achievements/plugin.yaml',
    ])
    expect(statSync(own('dist/index.js')).mode & 0o077).toBe(0)
  })

  it('is removed completely, and nothing else with it', async () => {
    const before = all()
    await install()
    expect(uninstall()).toMatchObject({ left: [], origins: [ORIGIN] })
    expect(all()).toEqual(before)
  })

  it('removes what Python compiled from its file, and nothing compiled from other files', async () => {
    const before = all()
    await install()
    mkdirSync(own('../__pycache__'))
    writeFileSync(own('../__pycache__/__init__.cpython-311.pyc'), '')
    uninstall()
    expect(all()).toEqual(before)
    await install()
    mkdirSync(own('../__pycache__'))
    writeFileSync(own('../__pycache__/other.cpython-311.pyc'), '')
    uninstall()
    expect(existsSync(own('../__pycache__/other.cpython-311.pyc'))).toBe(true)
  })

  it('leaves existing folders and foreign files in its own folder', async () => {
    mkdirSync(join(place.hermes, 'plugins', 'other'), { recursive: true })
    await install()
    writeFileSync(own('notes.md'), 'mine')
    uninstall()
    expect(readFileSync(own('notes.md'), 'utf8')).toBe('mine')
    expect(existsSync(own('dist'))).toBe(false)
    expect(existsSync(join(place.hermes, 'plugins', 'other'))).toBe(true)
  })

  it('is updated in place and can still be removed completely', async () => {
    const before = all()
    await install()
    const changes = (files: typeof FILES) => {
      const plan = planTab(place, files, ORIGIN)
      return plan.ok ? plan.value.files.map(({ change }) => change) : plan
    }
    expect(changes(FILES)).toEqual(['same', 'same', 'same', 'same'])
    expect(changes(NEWER)).toEqual(['changed', 'same', 'changed', 'same'])
    await install(NEWER)
    expect(readFileSync(own('manifest.json'), 'utf8')).toContain('1.2.4')
    expect(uninstall()).toMatchObject({ origins: [ORIGIN] })
    expect(all()).toEqual(before)
  })

  it("drops an origin it moved away from, unless another Hermes' tab needs it", async () => {
    const outdated = (at: TabPlace) => {
      const plan = planTab(at, FILES, 'http://127.0.0.1:7777')
      return plan.ok ? plan.value.outdated : plan
    }
    await install()
    expect(outdated(place)).toEqual([ORIGIN])
    const other = { ...place, hermes: join(root, 'other') }
    mkdirSync(other.hermes)
    expect(outdated(other)).toEqual([])
  })

  it('reads the origin from a record with a single one', async () => {
    await install()
    const { origins, ...record } = JSON.parse(readFileSync(place.record, 'utf8'))
    writeFileSync(place.record, JSON.stringify({ ...record, origin: origins[0] }))
    expect(uninstall()).toMatchObject({ origins: [ORIGIN] })
  })

  it('does not overwrite foreign files', async () => {
    mkdirSync(own('.'), { recursive: true })
    writeFileSync(own('manifest.json'), '{}')
    expect(await install()).toMatchObject({ ok: false, message: expect.stringContaining('manifest.json') })
    expect(readFileSync(own('manifest.json'), 'utf8')).toBe('{}')
    expect(existsSync(own('dist'))).toBe(false)
    expect(uninstall()).toBeUndefined()
  })

  it('leaves a file that was changed since, even on removal', async () => {
    await install()
    writeFileSync(own('manifest.json'), '{"name": "mine"}')
    expect(await install(NEWER)).toMatchObject({ ok: false })
    expect(uninstall()).toMatchObject({ left: [own('manifest.json')] })
    expect(readFileSync(own('manifest.json'), 'utf8')).toBe('{"name": "mine"}')
  })

  it('follows no link out of the plugin folder', async () => {
    mkdirSync(join(place.hermes, 'plugins'))
    mkdirSync(join(root, 'elsewhere'))
    symlinkSync(join(root, 'elsewhere'), join(place.hermes, 'plugins', 'panoptes-achievements'))
    expect(await install()).toMatchObject({ ok: false })
    expect(readdirSync(join(root, 'elsewhere'))).toEqual([])
  })

  it('is rejected if Hermes is not installed', async () => {
    rmSync(place.hermes, { recursive: true })
    expect(await install()).toMatchObject({ ok: false, code: 'not_found' })
    expect(existsSync(place.hermes)).toBe(false)
  })
})

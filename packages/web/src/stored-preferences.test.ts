import { beforeEach, describe, expect, it, vi } from 'vitest'

const root = { dataset: {} as Record<string, string> }

/** Loads a module as a page does in a browser with these stored values; null disables storage. */
async function loadWith<T>(kept: Readonly<Record<string, string>> | null, load: () => Promise<T>) {
  const storage = new Map(Object.entries(kept ?? {}))
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => {
      if (kept === null) throw new Error('storage is disabled')
      return storage.get(key) ?? null
    },
    setItem: (key: string, value: string) => {
      if (kept === null) throw new Error('storage is disabled')
      storage.set(key, value)
    },
  })
  vi.resetModules()
  return { module: await load(), storage }
}

beforeEach(() => {
  root.dataset = {}
  vi.stubGlobal('document', { documentElement: root })
  vi.stubGlobal('matchMedia', () => ({ matches: true, addEventListener: () => undefined }))
})

describe('the notification settings', () => {
  const KEY = 'panoptes.alerts'
  const OFF = { on: false, quiet: false, from: '22:00', to: '07:00' }
  const load = () => import('./live/alerts/settings.ts')

  it('load the stored values', async () => {
    const chosen = { on: true, quiet: true, from: '20:30', to: '08:15' }
    const { module } = await loadWith({ [KEY]: JSON.stringify(chosen) }, load)
    expect(module.alertSettings.get()).toEqual(chosen)
  })

  it('use defaults for values that an older page did not store', async () => {
    const { module } = await loadWith({ [KEY]: '{"on":true}' }, load)
    expect(module.alertSettings.get()).toEqual({ ...OFF, on: true })
  })

  it('are off when nothing valid is stored or storage is disabled', async () => {
    for (const kept of [{}, { [KEY]: '{"on"' }, { [KEY]: 'true' }, { [KEY]: 'null' }, null])
      expect((await loadWith(kept, load)).module.alertSettings.get()).toEqual(OFF)
  })

  it('store all values when one of them changes', async () => {
    const { module, storage } = await loadWith({ [KEY]: '{"on":true,"from":"20:30"}' }, load)
    module.changeAlerts({ quiet: true })
    const changed = { ...OFF, on: true, quiet: true, from: '20:30' }
    expect(module.alertSettings.get()).toEqual(changed)
    expect(JSON.parse(storage.get(KEY) ?? '')).toEqual(changed)
  })

  it('last until the tab closes when the browser cannot store them', async () => {
    const { module } = await loadWith(null, load)
    module.changeAlerts({ on: true })
    expect(module.alertSettings.get().on).toBe(true)
  })
})

describe('the theme', () => {
  const load = () => import('./shell/theme.ts')

  it('loads the stored choice and is dark by default', async () => {
    const shown = async (choice: string | null) => {
      const { module } = await loadWith(choice === null ? {} : { 'panoptes.theme': choice }, load)
      return [module.themeChoice.get(), module.themeShown.get(), root.dataset.theme]
    }
    expect(await shown(null)).toEqual(['dark', 'dark', 'dark'])
    expect(await shown('light')).toEqual(['light', 'light', 'light'])
    expect(await shown('system')).toEqual(['system', 'light', 'light'])
    expect(await shown('sepia')).toEqual(['dark', 'dark', 'dark'])
  })

  it('is dark without storage and can still be changed', async () => {
    const { module } = await loadWith(null, load)
    expect(module.themeShown.get()).toBe('dark')
    module.chooseTheme('light')
    expect([module.themeShown.get(), root.dataset.theme, module.otherTheme()]).toEqual([
      'light',
      'light',
      'dark',
    ])
  })
})

describe('the dark graph', () => {
  const KEY = 'panoptes.night-graph'
  const load = () => import('./live/dark-graph.ts')

  it('stores both on and off', async () => {
    expect((await loadWith({}, load)).module.nightGraph.get()).toBe(false)
    const { module, storage } = await loadWith({ [KEY]: '1' }, load)
    expect(module.nightGraph.get()).toBe(true)
    module.chooseNight(false)
    expect((await loadWith(Object.fromEntries(storage), load)).module.nightGraph.get()).toBe(false)
  })
})

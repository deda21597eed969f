import { beforeEach, describe, expect, it, vi } from 'vitest'

const root = { dataset: {} as Record<string, string> }

/** Loads a module as a page does that is opened in a browser which keeps these choices. */
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

describe('the choices about notifications', () => {
  const KEY = 'panoptes.alerts'
  const OFF = { on: false, quiet: false, from: '22:00', to: '07:00' }
  const load = () => import('./live/alerts/settings.ts')

  it('are those that were made before the page was loaded', async () => {
    const chosen = { on: true, quiet: true, from: '20:30', to: '08:15' }
    const { module } = await loadWith({ [KEY]: JSON.stringify(chosen) }, load)
    expect(module.alertSettings.get()).toEqual(chosen)
  })

  it('keep their defaults where an older page did not know them', async () => {
    const { module } = await loadWith({ [KEY]: '{"on":true}' }, load)
    expect(module.alertSettings.get()).toEqual({ ...OFF, on: true })
  })

  it('are off where nothing was chosen or what is kept cannot be read', async () => {
    for (const kept of [{}, { [KEY]: '{"on"' }, { [KEY]: 'true' }, { [KEY]: 'null' }, null])
      expect((await loadWith(kept, load)).module.alertSettings.get()).toEqual(OFF)
  })

  it('are kept whole when one of them changes', async () => {
    const { module, storage } = await loadWith({ [KEY]: '{"on":true,"from":"20:30"}' }, load)
    module.changeAlerts({ quiet: true })
    const changed = { ...OFF, on: true, quiet: true, from: '20:30' }
    expect(module.alertSettings.get()).toEqual(changed)
    expect(JSON.parse(storage.get(KEY) ?? '')).toEqual(changed)
  })

  it('hold until the tab closes where the browser keeps nothing', async () => {
    const { module } = await loadWith(null, load)
    module.changeAlerts({ on: true })
    expect(module.alertSettings.get().on).toBe(true)
  })
})

describe('the theme', () => {
  const load = () => import('./shell/theme.ts')

  it('is the one that was chosen before the page was loaded, or dark', async () => {
    const shown = async (choice: string | null) => {
      const { module } = await loadWith(choice === null ? {} : { 'panoptes.theme': choice }, load)
      return [module.themeChoice.get(), module.themeShown.get(), root.dataset.theme]
    }
    expect(await shown(null)).toEqual(['dark', 'dark', 'dark'])
    expect(await shown('light')).toEqual(['light', 'light', 'light'])
    expect(await shown('system')).toEqual(['system', 'light', 'light'])
    expect(await shown('sepia')).toEqual(['dark', 'dark', 'dark'])
  })

  it('is dark in a browser that keeps nothing, and can still be changed', async () => {
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

describe('the graph that stays dark', () => {
  const KEY = 'panoptes.night-graph'
  const load = () => import('./live/night.ts')

  it('is remembered, on as well as off', async () => {
    expect((await loadWith({}, load)).module.nightGraph.get()).toBe(false)
    const { module, storage } = await loadWith({ [KEY]: '1' }, load)
    expect(module.nightGraph.get()).toBe(true)
    module.chooseNight(false)
    expect((await loadWith(Object.fromEntries(storage), load)).module.nightGraph.get()).toBe(false)
  })
})

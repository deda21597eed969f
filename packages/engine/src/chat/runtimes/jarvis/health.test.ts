import { openMoa } from '@panoptes/engine/moa'
import { createPrices, openProviders } from '@panoptes/engine/models'
import { type JarvisConfig, providerConfig } from '@panoptes/schema'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createJarvis } from './jarvis.ts'
import { jarvisOn } from './played-jarvis.test-kit.ts'
import { type ScriptedModel, startScriptedModel } from './scripted-model.test-kit.ts'

let model: ScriptedModel
beforeAll(async () => {
  model = await startScriptedModel()
})
afterAll(() => model.close())

const NOBODY = 'http://127.0.0.1:2/v1'

/** With these providers and no others: those of this computer are taken for absent. */
const health = (config: JarvisConfig | null, providers: Readonly<Record<string, string>>) => {
  const opened = openProviders({
    providers: Object.fromEntries(
      Object.entries(providers).map(([name, base_url]) => [
        name,
        providerConfig.parse({ kind: 'openai', base_url, retries: 0 }),
      ]),
    ),
    env: {},
  })
  const own = { ...opened, endpoints: opened.endpoints.filter(({ name }) => name in providers) }
  const prices = createPrices({})
  const moa = openMoa({ presets: {}, defaultPreset: null, privacy: '', providers: own, prices })
  return createJarvis({ config, providers: own, moa, prices }).health()
}

describe('whether Jarvis can answer', () => {
  it('is so where the model of the config is there; the others are offered too', async () => {
    expect(await jarvisOn(model.url).health()).toEqual({
      state: 'ready',
      detail: '',
      models: expect.arrayContaining(['local/m', 'moa/pair']),
      transport: 'built in',
    })
  })
  it('is doubtful where the provider does not list the model of the config, and that is said', async () => {
    expect(await jarvisOn(model.url, { config: { provider: 'local', model: 'x' } }).health()).toMatchObject({
      state: 'ready',
      detail: 'local does not list the model x. It lists: m.',
      models: expect.arrayContaining(['local/x', 'local/m']),
    })
  })
  it('is so where nothing is configured and a model is found', async () => {
    expect(await health(null, { local: model.url })).toMatchObject({ state: 'ready', models: ['local/m'] })
  })
  it('is not where there is no model at all, and it is said what to do', async () => {
    expect(await health(null, {})).toMatchObject({
      state: 'not_configured',
      detail: expect.stringMatching(/Ollama.*key.*runtimes\.jarvis in config\.yaml/),
      models: [],
    })
  })
  it('names who could not be asked where a provider is there and gives no model', async () => {
    expect(await health(null, { far: NOBODY })).toMatchObject({
      state: 'not_configured',
      detail: expect.stringContaining('far:'),
    })
  })
  it('is not where the provider of the config is not named', async () => {
    expect(await health({ provider: 'gone', model: 'm' }, {})).toMatchObject({
      state: 'not_configured',
      detail: expect.stringContaining('providers in config.yaml'),
    })
  })
  it('is not where nobody answers there', async () => {
    expect(await health({ provider: 'far', model: 'm' }, { far: NOBODY })).toMatchObject({
      state: 'unreachable',
      detail: expect.stringContaining('far'),
    })
  })
  it('is not where a preset is not there', async () => {
    expect(await health({ preset: 'none' }, {})).toMatchObject({
      state: 'not_configured',
      detail: expect.stringContaining('moa.presets'),
    })
  })
})

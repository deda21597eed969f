import { openMoa } from '@panoptes/engine/moa'
import { createPrices, openProviders } from '@panoptes/engine/models'
import { type JarvisConfig, type MoaPreset, moaPreset, providerConfig } from '@panoptes/schema'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createJarvis } from './jarvis.ts'
import { type ScriptedModel, startScriptedModel } from './scripted-model.test-kit.ts'
import { jarvisOn } from './simulated-jarvis.test-kit.ts'

let model: ScriptedModel
beforeAll(async () => {
  model = await startScriptedModel()
})
afterAll(() => model.close())

const NOBODY = 'http://127.0.0.1:2/v1'

/** Uses only these providers; local ones are treated as absent. */
const health = (
  config: JarvisConfig | null,
  providers: Readonly<Record<string, string>>,
  presets: Readonly<Record<string, MoaPreset>> = {},
) => {
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
  const moa = openMoa({ presets, defaultPreset: null, privacy: '', providers: own, prices })
  return createJarvis({ config, providers: own, moa, prices }).health()
}

describe('health of Jarvis', () => {
  it('is ready if the configured model exists, and offers the others too', async () => {
    expect(await jarvisOn(model.url).health()).toEqual({
      state: 'ready',
      detail: '',
      models: expect.arrayContaining(['local/m', 'moa/pair']),
      transport: 'built in',
    })
  })
  it('is ready with a warning if the provider does not list the configured model', async () => {
    expect(await jarvisOn(model.url, { config: { provider: 'local', model: 'x' } }).health()).toMatchObject({
      state: 'ready',
      detail: 'local does not list the model x. It lists: m.',
      models: expect.arrayContaining(['local/x', 'local/m']),
    })
  })
  it('is ready if nothing is configured and a model is found', async () => {
    expect(await health(null, { local: model.url })).toMatchObject({ state: 'ready', models: ['local/m'] })
  })
  it('is unavailable with advice if there is no model at all', async () => {
    expect(await health(null, {})).toMatchObject({
      state: 'not_configured',
      detail: expect.stringMatching(/Ollama.*key.*runtimes\.jarvis in config\.yaml/),
      models: [],
    })
  })
  it('names the providers that could not be asked', async () => {
    expect(await health(null, { far: NOBODY })).toMatchObject({
      state: 'not_configured',
      detail: expect.stringContaining('far:'),
    })
  })
  it('is unavailable if the configured provider is unknown', async () => {
    expect(await health({ provider: 'gone', model: 'm' }, {})).toMatchObject({
      state: 'not_configured',
      detail: expect.stringContaining('providers in config.yaml'),
    })
  })
  it('is unavailable if the provider does not answer', async () => {
    expect(await health({ provider: 'far', model: 'm' }, { far: NOBODY })).toMatchObject({
      state: 'unreachable',
      detail: expect.stringContaining('far'),
    })
  })
  it.each([
    ['ready if the provider of its aggregator answers', 'up', 'ready', ''],
    ['unreachable if the provider of its aggregator does not answer', 'far', 'unreachable', 'far'],
    ['untried if the provider of its aggregator cannot be checked', 'elsewhere', 'untried', ''],
  ])('with a preset is %s', async (_what, provider, state, detail) => {
    const preset = moaPreset.parse({ aggregator: { provider, model: 'm' } })
    expect(await health({ preset: 'p' }, { up: model.url, far: NOBODY }, { p: preset })).toMatchObject({
      state,
      detail: expect.stringContaining(detail),
    })
  })
  it('is unavailable if the preset does not exist', async () => {
    expect(await health({ preset: 'none' }, {})).toMatchObject({
      state: 'not_configured',
      detail: expect.stringContaining('moa.presets'),
    })
  })
})

import { createPrices, openProviders } from '@panoptes/engine/models'
import { providerConfig } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { costOf } from './call.ts'

const usage = {
  input: 1_000,
  output: 100,
  cache_read: null,
  cache_write: null,
  cache_write_1h: null,
  reasoning: null,
}
const at = (base_url: string) => providerConfig.parse({ kind: 'openai', base_url })
const providers = openProviders({
  providers: {
    here: at('http://127.0.0.1:9/v1'),
    beside: at('http://192.168.1.7:8000/v1'),
    openrouter: at('https://openrouter.ai/api/v1'),
    mine: at('https://models.example.com/v1'),
  },
  env: {},
})

describe('the price of a slot', () => {
  const own = { 'here/gpt-4o': { input: 1, output: 1 }, 'vendor/odd': { input: 2, output: 2 } }
  const prices = createPrices(own)
  const cost = (provider: string, model: string) =>
    costOf({ prices, providers }, { provider, model }, usage, Date.now())

  it('is that of the config first, by provider and model or by the model', () => {
    expect(cost('here', 'gpt-4o')).toBe(1_100)
    expect(cost('openrouter', 'vendor/odd')).toBe(2_200)
  })

  it('is not known for models of this computer and its network, whatever they are called', () => {
    expect(cost('here', 'gpt-4o-mini')).toBeNull()
    expect(cost('beside', 'gpt-4o')).toBeNull()
  })

  it('is what the provider asks, else what the model costs anywhere', () => {
    expect(cost('openrouter', 'openai/gpt-4o')).toBeGreaterThan(0)
    expect(cost('mine', 'gpt-4o')).toBe(createPrices().costOf('gpt-4o', usage, Date.now()))
    expect(cost('mine', 'no-such-model')).toBeNull()
  })
})

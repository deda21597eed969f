import { createPrices, openProviders } from '@panoptes/engine/models'
import { providerConfig } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { slotCost } from './model-call.ts'

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

describe('price of a slot', () => {
  const own = { 'here/gpt-4o': { input: 1, output: 1 }, 'vendor/odd': { input: 2, output: 2 } }
  const prices = createPrices(own)
  const cost = (provider: string, model: string) =>
    slotCost({ prices, providers }, { provider, model }, usage, Date.now())

  it('prefers the price from the config, by provider and model or by the model alone', () => {
    expect(cost('here', 'gpt-4o')).toBe(1_100)
    expect(cost('openrouter', 'vendor/odd')).toBe(2_200)
  })

  it('is unknown for models on this computer or its network, whatever their name', () => {
    expect(cost('here', 'gpt-4o-mini')).toBeNull()
    expect(cost('beside', 'gpt-4o')).toBeNull()
  })

  it("falls back to the provider's price, then to the model's price elsewhere", () => {
    expect(cost('openrouter', 'openai/gpt-4o')).toBeGreaterThan(0)
    expect(cost('mine', 'gpt-4o')).toBe(createPrices().costOf('gpt-4o', usage, Date.now()))
    expect(cost('mine', 'no-such-model')).toBeNull()
  })
})

import type { EventInput } from '@panoptes/schema'
import { mint, type Stage, say } from './stage.ts'
import { PRICES } from './trade.ts'

export interface Spent {
  readonly event: EventInput
  readonly micro: number
}

/** What one answer of the model used; a model without a price says so, and some answers come without counts. */
export function spend(stage: Stage, agent: string, model: string): Spent {
  const { chance } = stage
  const id = mint(stage, 'msg_')
  const price = PRICES[model]
  if (!price && chance.chance(0.5)) {
    return { event: say(stage, 'usage', id, { agent_id: agent, model, cost_status: 'unknown' }), micro: 0 }
  }
  const input = chance.about(1_400)
  const output = chance.about(260)
  const cacheRead = chance.about(18_000)
  const cacheWrite = chance.chance(0.3) ? chance.about(2_400) : 0
  const tokens = { input, output, cache_read: cacheRead, cache_write: cacheWrite }
  if (!price) {
    return {
      event: say(stage, 'usage', id, { agent_id: agent, model, ...tokens, cost_status: 'unknown' }),
      micro: 0,
    }
  }
  const read = (input + cacheRead * 0.1 + cacheWrite * 1.25) * price.input
  const micro = Math.round(read + output * price.output)
  return {
    event: say(stage, 'usage', id, {
      agent_id: agent,
      model,
      ...tokens,
      cost_usd: micro / 1_000_000,
      cost_status: chance.chance(0.9) ? 'exact' : 'estimated',
    }),
    micro,
  }
}

import type { EventInput } from '@panoptes/schema'
import { CLAIMS, ERRORS, LONG_ERROR, PRICES, SKILLS, TOOLS, WAITS } from './sample-data.ts'
import { type Life, mint, type Stage, say } from './stage.ts'

/** Counts what an agent has done so far. */
export interface Tally {
  calls: number
  micro: number
}

/**
 * Generates one round of an agent: it thinks, calls a tool, and occasionally waits, gets stuck, uses a skill
 * or states a figure.
 */
export function* work(stage: Stage, agent: string, model: string, tally: Tally): Life {
  const { chance } = stage
  if (chance.chance(0.55)) {
    const spent = spend(stage, agent, model)
    tally.micro += spent.micro
    yield { after: chance.about(3_000), event: spent.event }
  }
  if (chance.chance(0.012)) yield* pause(stage, agent)
  yield* call(stage, agent, tally)
  if (chance.chance(0.03)) {
    const skill = chance.pickWeighted(SKILLS)
    const success = chance.chance(skill.successRate)
    const used = { agent_id: agent, skill: skill.name, success }
    yield { after: chance.about(800), event: say(stage, 'skill_use', mint(stage, 'skill_'), used) }
  }
  if (chance.chance(0.02)) {
    const after = chance.about(400)
    const claim = { agent_id: agent, ...chance.pick(CLAIMS), message_id: `msg-${stage.serial}`, place: 0 }
    yield { after, event: say(stage, 'claim', undefined, claim) }
  }
}

function* call(stage: Stage, agent: string, tally: Tally): Life {
  const { chance } = stage
  const tool = chance.pickWeighted(TOOLS)
  const id = mint(stage, 'toolu_')
  const preview = tool.preview(chance.pick(stage.play.files))
  const used = { agent_id: agent, tool: tool.name, input_preview: preview }
  yield { after: chance.about(2_200), event: say(stage, 'tool_use', id, used) }
  tally.calls += 1
  const after = chance.about(tool.ms)
  let took = after
  if (chance.chance(0.004)) {
    const silent = tool.ms * 12 + 60_000
    const judged = { agent_id: agent, silent_ms: silent, usual_ms: tool.ms }
    yield { after: silent, event: say(stage, 'agent_stuck', undefined, judged) }
    took += silent
  }
  const ok = !chance.chance(tool.failRate)
  const error = chance.chance(0.25) ? LONG_ERROR : chance.pick(ERRORS)
  const done = {
    agent_id: agent,
    tool: tool.name,
    ok,
    duration_ms: took,
    ...(ok ? {} : { error_preview: error }),
  }
  yield { after, event: say(stage, 'tool_done', id, done) }
}

function* pause(stage: Stage, agent: string): Life {
  const { chance } = stage
  const reason = chance.pick(WAITS)
  yield { after: chance.about(500), event: say(stage, 'agent_wait', undefined, { agent_id: agent, reason }) }
  yield { after: chance.about(45_000) }
}

interface Spent {
  readonly event: EventInput
  readonly micro: number
}

/** Reports the usage of one reply. A model without a price says so, and some replies come without counts. */
function spend(stage: Stage, agent: string, model: string): Spent {
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

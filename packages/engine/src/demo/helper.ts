import type { Outcome } from '@panoptes/schema'
import { type Life, mint, type Stage, say } from './stage.ts'
import { FOLLOW_UPS, HELPER_MODELS } from './trade.ts'
import { type Tally, work } from './work.ts'

const MOST_HELPERS = 14
const DEEPEST = 3

interface Ending {
  readonly weight: number
  readonly end: Outcome | 'lost' | 'silent'
}

/** How a helper's life goes; most end well. */
const ENDINGS: readonly [Ending, ...Ending[]] = [
  { weight: 74, end: 'functional' },
  { weight: 12, end: 'partial' },
  { weight: 4, end: 'scaffolding' },
  { weight: 6, end: 'fail' },
  { weight: 3, end: 'lost' },
  { weight: 1, end: 'silent' },
]

/** Lets up to `count` helpers begin side by side; they run beside their parent. */
export function* delegate(stage: Stage, parent: string, depth: number, count: number): Life {
  for (let n = 0; n < count && stage.helpers < MOST_HELPERS; n += 1) {
    stage.helpers += 1
    yield { after: stage.chance.about(300), begin: helper(stage, parent, depth) }
  }
}

function* helper(stage: Stage, parent: string, depth: number): Life {
  const { chance } = stage
  const id = mint(stage, 'a')
  const model = chance.weighted(HELPER_MODELS).name
  const type = chance.pick(stage.play.helpers)
  const prompt = chance.pick(stage.play.prompts)
  const late = chance.chance(0.15)
  const known = { parent_id: parent, subagent_type: type, model, prompt_preview: `${type}: ${prompt}` }
  const background = chance.chance(0.3)
  const first = late ? { background } : { ...known, background }
  yield { after: 0, event: say(stage, 'agent_spawn', id, first) }

  const began = stage.clock.now
  const tally: Tally = { calls: 0, micro: 0 }
  const rounds = chance.about(7)
  for (let round = 0; round < rounds; round += 1) {
    yield* work(stage, id, model, tally)
    if (late && round === 1) {
      const link = { ...known, tool_use_id: mint(stage, 'toolu_') }
      yield { after: chance.about(200), event: say(stage, 'agent_link', id, link) }
    }
    if (depth < DEEPEST && chance.chance(0.05)) yield* delegate(stage, id, depth + 1, chance.int(1, 3))
  }
  yield* finish(stage, id, tally, began)
  stage.helpers -= 1
}

function* finish(stage: Stage, id: string, tally: Tally, began: number): Life {
  const { chance } = stage
  const { end } = chance.weighted(ENDINGS)
  if (end === 'silent') return
  if (end === 'lost') {
    const lost = { agent_id: id, reason: 'no sign for 10 minutes' }
    yield { after: 600_000, event: say(stage, 'agent_lost', undefined, lost) }
    return
  }
  const stubs = end === 'functional' ? 0 : chance.int(1, 4)
  if (chance.chance(0.4)) {
    const verified = chance.chance(0.8) ? 'yes' : 'no'
    const follow_ups = end === 'functional' ? [] : FOLLOW_UPS.slice(0, stubs)
    const checks = [{ name: 'tests', result: end === 'functional' ? 'PASS' : 'NOT-RUN' }]
    const marker = { agent_id: id, shipped: end, stubs, verified, checks, follow_ups }
    yield { after: 200, event: say(stage, 'status', undefined, marker) }
  }
  const sum = { tool_use_count: tally.calls, cost_usd: tally.micro / 1_000_000 }
  const done = { outcome: end, stubs, duration_ms: stage.clock.now - began, ...sum }
  yield { after: chance.about(700), event: say(stage, 'agent_done', id, done) }
}

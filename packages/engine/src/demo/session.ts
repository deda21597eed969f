import { delegate } from './helper.ts'
import { type Life, type Stage, say } from './stage.ts'
import { work } from './work.ts'

/** One session from its first prompt to its end; one in forty is left open. */
export function* session(stage: Stage, ended: () => void): Life {
  const { chance, play } = stage
  const about = {
    cwd: `/home/dev/${play.project}`,
    project: play.project,
    title: play.title,
    model: play.model,
  }
  yield {
    after: 0,
    event: say(stage, 'session_start', undefined, { agent_id: 'main', ...about, reason: 'startup' }),
  }
  const tally = { calls: 0, micro: 0 }
  const turns = chance.int(2, 7)
  for (let turn = 0; turn < turns; turn += 1) {
    const asked = { agent_id: 'main', prompt_preview: chance.pick(play.prompts) }
    yield { after: chance.about(turn === 0 ? 1_500 : 40_000), event: say(stage, 'prompt', undefined, asked) }
    const rounds = chance.int(2, 6)
    for (let round = 0; round < rounds; round += 1) yield* work(stage, 'main', play.model, tally)
    if (chance.chance(0.7)) yield* delegate(stage, 'main', 1, chance.int(1, 5))
    yield* whileHelpersRun(stage)
    if (chance.chance(0.3)) {
      const idle = { agent_id: 'main', reason: 'idle: waiting for a prompt' }
      yield { after: chance.about(1_000), event: say(stage, 'agent_wait', undefined, idle) }
    }
  }
  ended()
  if (chance.chance(0.025)) return
  yield {
    after: chance.about(20_000),
    event: say(stage, 'session_end', undefined, { reason: 'prompt_input_exit' }),
  }
}

/** Helpers begin only while main works, so a session never ends before its last helper has. */
function* whileHelpersRun(stage: Stage): Life {
  while (stage.helpers > 0) yield { after: stage.chance.about(6_000) }
}

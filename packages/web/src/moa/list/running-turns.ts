import type { Agent } from '@panoptes/schema'
import { isAlive } from '@panoptes/schema/reading'
import { shortModel } from '../../ledger/plot/models.ts'
import { MAIN } from '../../live/model/names.ts'
import type { BarRow } from '../bars/bars.ts'
import { familyOfSlot, referenceLetter } from '../format.ts'

/** A turn that runs now, derived from the agents on the Live page. */
export interface RunningTurn {
  readonly session: string
  /** The first characters of the turn's id. */
  readonly turn: string
  readonly startedAt: number
  readonly question: string
  readonly references: readonly Agent[]
  /** The aggregator, while it works. */
  readonly main: Agent | undefined
}

const REFERENCE = /^ref-(.{1,8})-(\d{1,3})$/

/** Returns the turns whose references or aggregator work, newest first. */
export function runningTurns(agents: readonly Agent[]): readonly RunningTurn[] {
  const mains = new Map<string, Agent>()
  const turns = new Map<string, { turn: string; references: Agent[] }>()
  for (const agent of agents) {
    if (agent.source !== 'panoptes') continue
    if (agent.id === MAIN) mains.set(agent.session_id, agent)
    const turn = agent.subagent_type === 'reference' ? REFERENCE.exec(agent.id)?.[1] : undefined
    if (turn === undefined) continue
    const key = `${agent.session_id}\n${turn}`
    const entry = turns.get(key) ?? { turn, references: [] }
    entry.references.push(agent)
    turns.set(key, entry)
  }
  const found: RunningTurn[] = []
  for (const { turn, references } of turns.values()) {
    const session = references[0]?.session_id ?? ''
    const startedAt = references.reduce(
      (least, one) => Math.min(least, one.started_at),
      Number.POSITIVE_INFINITY,
    )
    const mainAgent = mains.get(session)
    // A session runs one turn after another, so its aggregator works for the newest one.
    const isNewest = ![...turns.values()].some(
      (other) =>
        other.turn !== turn &&
        other.references[0]?.session_id === session &&
        other.references.some(({ started_at }) => started_at > startedAt),
    )
    const main = mainAgent && isAlive(mainAgent.state) && isNewest ? mainAgent : undefined
    if (main === undefined && !references.some(({ state }) => isAlive(state))) continue
    const inOrder = references.toSorted((a, b) => referencePlace(a) - referencePlace(b))
    found.push({
      session,
      turn,
      startedAt,
      question: mainAgent?.prompt_preview ?? '',
      references: inOrder,
      main,
    })
  }
  return found.sort((a, b) => b.startedAt - a.startedAt)
}

const referencePlace = ({ id }: Agent): number => Number(REFERENCE.exec(id)?.[2] ?? 0)

/** Builds the bars so far. The time of the first token is unknown while the turn runs. */
export function buildRunningRows(
  { references, main, startedAt }: RunningTurn,
  now: number,
): readonly BarRow[] {
  const rows = references.map((agent, place): BarRow => {
    const ended = isAlive(agent.state) ? null : (agent.ended_at ?? agent.last_at)
    return {
      key: agent.id,
      letter: referenceLetter(place),
      name: shortModel(agent.model ?? agent.prompt_preview ?? agent.id),
      label: agent.prompt_preview ?? agent.model ?? agent.id,
      family: familyOfSlot({ model: agent.model ?? '' }),
      stretches: [
        {
          from: agent.started_at - startedAt,
          first: null,
          to: Math.max(agent.started_at, ended ?? now) - startedAt,
          isRunning: ended === null,
          error: agent.state === 'failed' ? 'bad_reply' : null,
        },
      ],
      cost: null,
      unknown: 0,
    }
  })
  const over = references.every(({ state }) => !isAlive(state))
  if (main === undefined || !over) return rows
  const from =
    references.reduce((last, one) => Math.max(last, one.ended_at ?? one.last_at), startedAt) - startedAt
  const acts: BarRow = {
    key: 'aggregator',
    letter: null,
    name: shortModel(main.model ?? ''),
    label: main.model ?? '',
    family: 'main',
    stretches: [{ from, first: null, to: Math.max(from, now - startedAt), isRunning: true, error: null }],
    cost: null,
    unknown: 0,
  }
  return [...rows, acts]
}

import { appendFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { makeFolder, realTarget } from '@panoptes/engine/home'
import { type LedgerPlace, openLedger } from '@panoptes/engine/ledger'
import { skillUseEvent } from '@panoptes/engine/review'
import { bypassIn } from '@panoptes/engine/stated'
import {
  check,
  type IngestReply,
  type NewEvent,
  type RecordSkillReply,
  recordSkillInput,
} from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { type Client, connect } from '../../daemon/client.ts'
import { placeOfHome } from '../../daemon/place.ts'
import { EXIT } from '../../exit-codes.ts'
import { CommandFailure, orFail } from '../../failure.ts'

export interface RecordOptions {
  readonly success: '0' | '1'
  readonly agentId?: string
  readonly trajectoryId?: string
  readonly durationMs?: number
  readonly db?: string
}

/** Tells of one use of a skill. Agents' hooks call it: it is quick, answers with one line, and needs no daemon. */
export async function record(context: Context, name: string, options: RecordOptions): Promise<void> {
  const use = inputOf(name, options)
  const event = skillUseEvent(use, { now: Date.now(), host: hostname() })
  if (!event.ok) throw wrongUse(event.message)
  const answer: RecordSkillReply = { ok: true, skill: use.skill, ts: Math.floor(event.value.ts / 1_000) }
  const bypassed = bypassIn(context.env).skills
  if (!bypassed) await store(context, event.value, options.db)
  process.stdout.write(`${JSON.stringify(bypassed ? { ...answer, bypassed } : answer)}\n`)
}

function inputOf(name: string, { success, agentId, trajectoryId, durationMs }: RecordOptions) {
  const checked = check(recordSkillInput, {
    skill: name,
    success: success === '1',
    ...(agentId === undefined ? {} : { agent_id: agentId }),
    ...(trajectoryId === undefined ? {} : { trajectory_id: trajectoryId }),
    ...(durationMs === undefined ? {} : { duration_ms: durationMs }),
  })
  if (checked.ok) return checked.value
  const [problem] = checked.problems
  const what = problem?.path === 'skill' ? 'the name of the skill' : (problem?.path ?? 'it')
  throw wrongUse(`${what} ${problem?.reason ?? 'is wrong'}`)
}

const wrongUse = (message: string): CommandFailure =>
  new CommandFailure(message, {
    code: 'usage',
    next: 'See how it is used with: panoptes record-skill --help',
    exit: EXIT.usage,
  })

async function store(context: Context, event: NewEvent, db: string | undefined): Promise<void> {
  const { paths } = context
  if (db !== undefined && (await realTarget(db)) !== (await realTarget(paths.ledger)))
    return intoLedger({ kind: 'sqlite', file: db }, event)
  const client = await connect(paths)
  if (!client) return intoLedger(await placeOfHome(context), event, () => leave(context, event))
  try {
    await post(client, event)
  } catch (error) {
    if (!(error instanceof CommandFailure && error.code === 'unreachable')) throw error
    await leave(context, event)
  }
}

async function post(client: Client, event: NewEvent): Promise<void> {
  const { rejected } = await client.json<IngestReply>('/events', {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: `${JSON.stringify(event)}\n`,
  })
  if (rejected[0]) throw wrongUse(`${rejected[0].path} ${rejected[0].reason}`)
}

/** Somebody has the ledger and does not answer, or its database is away: what lies here is taken in later. */
async function leave({ paths }: Context, event: NewEvent): Promise<void> {
  await makeFolder(dirname(paths.events))
  await appendFile(paths.events, `${JSON.stringify(event)}\n`, { mode: 0o600 })
}

const PATIENCE_MS = 1_000
const AGAIN_MS = 50

async function intoLedger(place: LedgerPlace, event: NewEvent, orElse?: () => Promise<void>): Promise<void> {
  const patience = performance.now() + PATIENCE_MS
  for (;;) {
    const opened = await openLedger(place)
    if (!opened.ok && (opened.code === 'locked' || opened.code === 'busy')) {
      if (performance.now() < patience) {
        await setTimeout(AGAIN_MS)
        continue
      }
      if (orElse) return orElse()
    }
    const ledger = orFail(opened)
    try {
      orFail(await ledger.append([event]))
      return
    } finally {
      await ledger.close()
    }
  }
}

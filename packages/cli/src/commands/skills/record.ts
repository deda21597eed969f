import { appendFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { makeFolder, realTarget } from '@panoptes/engine/home'
import { bypassIn } from '@panoptes/engine/markers'
import { skillUseEvent } from '@panoptes/engine/outcomes'
import { openStore, type StoreLocation } from '@panoptes/engine/store'
import {
  check,
  type IngestReply,
  type NewEvent,
  type RecordSkillReply,
  recordSkillInput,
} from '@panoptes/schema'
import { formatSafeJson } from '@panoptes/schema/shown'
import type { Context } from '../../context.ts'
import { type Client, connect } from '../../daemon/client.ts'
import { placeOfHome } from '../../daemon/place.ts'
import { CommandFailure, EXIT, orFail } from '../../failure.ts'

export interface RecordOptions {
  readonly success: '0' | '1'
  readonly agentId?: string
  readonly trajectoryId?: string
  readonly durationMs?: number
  readonly db?: string
}

/** Records one use of a skill. Hooks call it, so it is fast, prints one line and needs no daemon. */
export async function record(context: Context, name: string, options: RecordOptions): Promise<void> {
  const use = parseUse(name, options)
  const event = skillUseEvent(use, { now: Date.now(), host: hostname() })
  if (!event.ok) throw invalidUseFailure(event.message)
  const answer: RecordSkillReply = { ok: true, skill: use.skill, ts: Math.floor(event.value.ts / 1_000) }
  const bypassed = bypassIn(context.env).skills
  if (!bypassed) await store(context, event.value, options.db)
  process.stdout.write(`${formatSafeJson(bypassed ? { ...answer, bypassed } : answer)}\n`)
}

function parseUse(name: string, { success, agentId, trajectoryId, durationMs }: RecordOptions) {
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
  throw invalidUseFailure(`${what} ${problem?.reason ?? 'is wrong'}`)
}

const invalidUseFailure = (message: string): CommandFailure =>
  new CommandFailure(message, {
    code: 'usage',
    next: 'See the usage with: panoptes record-skill --help',
    exit: EXIT.usage,
  })

async function store(context: Context, event: NewEvent, db: string | undefined): Promise<void> {
  const { paths } = context
  if (db !== undefined && (await realTarget(db)) !== (await realTarget(paths.store)))
    return recordInStore({ kind: 'sqlite', file: db }, event)
  const client = await connect(paths)
  if (!client) return recordInStore(await placeOfHome(context), event, () => leave(context, event))
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
  if (rejected[0]) throw invalidUseFailure(`${rejected[0].path} ${rejected[0].reason}`)
}

/** Queues the event in the spool if the store is locked or its database is unavailable. */
async function leave({ paths }: Context, event: NewEvent): Promise<void> {
  await makeFolder(dirname(paths.events))
  await appendFile(paths.events, `${JSON.stringify(event)}\n`, { mode: 0o600 })
}

const LOCK_TIMEOUT_MS = 1_000
const AGAIN_MS = 50

async function recordInStore(
  place: StoreLocation,
  event: NewEvent,
  orElse?: () => Promise<void>,
): Promise<void> {
  const deadline = performance.now() + LOCK_TIMEOUT_MS
  for (;;) {
    const opened = await openStore(place)
    if (!opened.ok && (opened.code === 'locked' || opened.code === 'busy')) {
      if (performance.now() < deadline) {
        await setTimeout(AGAIN_MS)
        continue
      }
      if (orElse) return orElse()
    }
    const store = orFail(opened)
    try {
      orFail(await store.append([event]))
      return
    } finally {
      await store.close()
    }
  }
}

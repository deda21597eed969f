import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileFailure, makeFolder, replaceFile } from '@panoptes/engine/home'
import { redactEvent } from '@panoptes/engine/redact'
import {
  check,
  EVENT_VERSION,
  failure,
  isName,
  type NewEvent,
  type RecordSkillInput,
  type Result,
  skillVerdict,
  success,
} from '@panoptes/schema'
import { parseJson } from '@panoptes/schema/json'
import { z } from 'zod'

const about = {
  skill: z.string(),
  verdict: skillVerdict,
  reason: z.string(),
  /** `planned` is written before a step; `refused` if it could not be undone. */
  state: z.enum(['planned', 'done', 'refused']),
}

const step = z.discriminatedUnion('action', [
  z.looseObject({
    action: z.literal('archive'),
    ...about,
    from: z.string(),
    to: z.string(),
    /** Whether the archive folder was created for it. */
    made_archive: z.boolean(),
  }),
  z.looseObject({
    action: z.literal('mark'),
    ...about,
    file: z.string(),
    /** The change of its text, and digests of the file before and after. */
    at: z.int(),
    removed: z.string(),
    inserted: z.string(),
    sha256_before: z.string(),
    sha256_after: z.string(),
    mtime_ms: z.number(),
  }),
])
export type Step = z.infer<typeof step>
export type ArchiveStep = Extract<Step, { action: 'archive' }>
export type MarkStep = Extract<Step, { action: 'mark' }>

const done = z.looseObject({
  v: z.literal(1),
  reviews: z.array(z.looseObject({ at: z.int(), steps: z.array(step) })),
})
export type DoneReview = z.infer<typeof done>['reviews'][number]

const MOST_REVIEWS = 100

const RECORDED_BY = 'panoptes'

/**
 * Returns the past reviews, oldest first. A file that cannot be parsed is left unchanged, because
 * its content may still be needed.
 */
export async function readDone(file: string): Promise<Result<readonly DoneReview[]>> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    const refused = fileFailure(error, file, 'read')
    return refused.code === 'not_found' ? success([]) : refused
  }
  try {
    const document: unknown = parseJson(text)
    const checked = check(done, document)
    if (checked.ok) return success(checked.value.reviews)
    if (typeof document === 'object' && document !== null && 'v' in document && Number(document.v) > 1)
      return failure('newer_version', `${file} was written by a newer Panoptes; nothing was changed`)
  } catch {
    // The return below reports text that is not JSON.
  }
  return failure('corrupt', `${file} is damaged. Move it away; earlier reviews can then no longer be undone`)
}

export async function writeDone(file: string, reviews: readonly DoneReview[]): Promise<Result<null>> {
  const recent = reviews.filter(({ steps }) => steps.length > 0).slice(-MOST_REVIEWS)
  try {
    await makeFolder(dirname(file))
    await replaceFile(file, `${JSON.stringify({ v: 1, reviews: recent }, null, 2)}\n`)
    return success(null)
  } catch (error) {
    return fileFailure(error, file, 'write')
  }
}

/**
 * Records a reported skill use as an event of its own, so two equal reports are two uses. They
 * belong to a session of their day, and `from_hook` keeps it from being shown as a working agent.
 */
export function skillUseEvent(
  { skill, success: succeeded, agent_id, trajectory_id, duration_ms }: RecordSkillInput,
  { now, host }: { readonly now: number; readonly host: string },
): Result<NewEvent> {
  const wrong = Object.entries({ skill, agent_id, trajectory_id }).find(
    ([, value]) => value !== undefined && !isName(value),
  )
  if (wrong) return failure('invalid', `${wrong[0]} contains invalid characters or is too long`)
  if (duration_ms !== undefined && duration_ms < 0)
    return failure('invalid', 'duration_ms must not be negative')
  const id = randomUUID()
  const event: NewEvent = {
    v: EVENT_VERSION,
    key: `skill:${id}`,
    ts: now,
    event: 'skill_use',
    source: RECORDED_BY,
    host,
    session_id: `recorded-${formatDay(now)}`,
    from_hook: true,
    id,
    skill,
    success: succeeded,
    ...(agent_id === undefined ? {} : { agent_id }),
    ...(trajectory_id === undefined ? {} : { trajectory_id }),
    ...(duration_ms === undefined ? {} : { duration_ms }),
  }
  return success(redactEvent(event).event)
}

const formatDay = (ts: number): string => {
  const date = new Date(ts)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

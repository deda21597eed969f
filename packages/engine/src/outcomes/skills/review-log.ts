import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileFailure, makeFolder, replaceFile } from '@panoptes/engine/home'
import { check, failure, type Result, skillVerdict, success } from '@panoptes/schema'
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

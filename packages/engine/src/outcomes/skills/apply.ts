import { chmod, mkdir, stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { applied, editStability, type FoundSkill, MARK } from '@panoptes/engine/skill-folders'
import { failure, type Result, type SkillChange, success } from '@panoptes/schema'
import { freePlace, isThere, moveFolder } from './move.ts'
import type { Planned } from './plan.ts'
import { type DoneReview, readDone, type Step, writeDone } from './review-log.ts'
import { readSkillText, sha256, writeSkillText } from './skill-text.ts'

export interface ApplyOptions {
  /** The file that records what was done. */
  readonly file: string
  readonly now: number
  readonly move?: typeof moveFolder
}

/**
 * Carries out a plan step by step. Each step is recorded before and after it, so that it can be
 * undone wherever the process ends.
 */
export async function applyReview(
  planned: readonly Planned[],
  { file, now, move = moveFolder }: ApplyOptions,
): Promise<Result<readonly SkillChange[]>> {
  const before = await readDone(file)
  if (!before.ok) return before
  const review: DoneReview = { at: now, steps: [] }
  const write = () => writeDone(file, [...before.value, review])
  const changes: SkillChange[] = []
  for (const { change, found } of planned) {
    if (change.action === 'none' || found === null) {
      changes.push(change)
      continue
    }
    const step =
      change.action === 'archive' ? await archiveStep(change, found) : await markStep(change, found)
    if (typeof step === 'string') {
      changes.push({ ...change, problem: step })
      continue
    }
    review.steps.push(step)
    const written = await write()
    // Nothing is touched without a record.
    if (!written.ok) return changes.some(({ done }) => done) ? partly(written.message) : written
    const problem = await doStep(step, move)
    if (problem === null) step.state = 'done'
    else if (!(await mayBeDone(step))) review.steps.pop()
    const after = await write()
    changes.push({ ...change, says: describeStep(step, change), done: problem === null, problem })
    if (!after.ok) return partly(after.message)
  }
  return success(changes)
}

const partly = (why: string): Result<never> =>
  failure('io', `${why}. Undo the changes made so far with: panoptes skills review --undo`)

async function archiveStep(change: SkillChange, { folder, archive }: FoundSkill): Promise<Step | string> {
  const to = await freePlace(archive, basename(folder))
  if (to === null) return `there is no free name in ${archive}`
  const made_archive = !(await isThere(archive))
  return { action: 'archive', ...changeSummary(change), from: folder, to, made_archive, state: 'planned' }
}

async function markStep(change: SkillChange, { file }: FoundSkill): Promise<Step | string> {
  const read = await readSkillText(file)
  if (typeof read === 'string') return read
  const edit = editStability(read.text, change.verdict === 'validated' ? MARK : null)
  if (typeof edit === 'string') return edit
  return {
    action: 'mark',
    ...changeSummary(change),
    file,
    ...edit,
    sha256_before: sha256(read.text),
    sha256_after: sha256(applied(read.text, edit)),
    mtime_ms: read.mtimeMs,
    state: 'planned',
  }
}

const changeSummary = ({ skill, verdict, reason }: SkillChange) => ({ skill, verdict, reason })

/** Returns why it could not be done; null on success. */
async function doStep(step: Step, move: typeof moveFolder): Promise<string | null> {
  try {
    if (step.action === 'archive') {
      await makeArchive(step.to)
      await move(step.from, step.to)
      return null
    }
    const read = await readSkillText(step.file)
    if (typeof read === 'string') return read
    if (sha256(read.text) !== step.sha256_before) return `${step.file} has changed in the meantime`
    await writeSkillText(step.file, applied(read.text, step), read)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Has the same permissions as the skills folder. */
async function makeArchive(to: string): Promise<void> {
  const archive = dirname(to)
  if (await isThere(archive)) return
  const { mode } = await stat(dirname(archive))
  await mkdir(archive)
  await chmod(archive, mode & 0o777)
}

/** True if a failed step may have happened anyway, at least in part. */
async function mayBeDone(step: Step): Promise<boolean> {
  if (step.action === 'archive') return isThere(step.to)
  const read = await readSkillText(step.file)
  return typeof read === 'string' || sha256(read.text) === step.sha256_after
}

const describeStep = (step: Step, { says }: SkillChange): string =>
  step.action === 'archive' ? `Move the folder to ${step.to}` : says

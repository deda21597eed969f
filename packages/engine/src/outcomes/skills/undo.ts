import { lstat, readdir, readFile, readlink, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { applied, reversed } from '@panoptes/engine/skill-folders'
import { type Result, type SkillChange, success } from '@panoptes/schema'
import { isThere, moveFolder } from './move.ts'
import { type ArchiveStep, type MarkStep, readDone, type Step, writeDone } from './review-log.ts'
import { readSkillText, sha256, writeSkillText } from './skill-text.ts'

/** The result of undoing a step; null if it never happened. */
type Undone = { readonly says: string; readonly problem: string | null } | null

export interface UndoOptions {
  readonly file: string
  readonly move?: typeof moveFolder
}

/** Undoes the last review, last step first. What was changed since stays and is reported. */
export async function undoReview({
  file,
  move = moveFolder,
}: UndoOptions): Promise<Result<readonly SkillChange[]>> {
  const read = await readDone(file)
  if (!read.ok) return read
  const reviews = read.value.map((review) => ({ ...review, steps: [...review.steps] }))
  const last = reviews.findLastIndex(({ steps }) => steps.some(({ state }) => state !== 'refused'))
  const changes: SkillChange[] = []
  // A step that was refused before is tried again together with the next undo.
  for (const review of reviews.slice(Math.max(0, last)).reverse())
    for (const step of [...review.steps].reverse()) {
      const undone = await undoStep(step, move)
      if (undone?.problem) step.state = 'refused'
      else review.steps.splice(review.steps.indexOf(step), 1)
      const written = await writeDone(file, reviews)
      if (!written.ok) return written
      if (undone) changes.push(toChange(step, undone))
    }
  return success(changes)
}

const toChange = (step: Step, { says, problem }: NonNullable<Undone>): SkillChange => ({
  skill: step.skill,
  verdict: step.verdict,
  reason: step.reason,
  folder: step.action === 'archive' ? step.from : dirname(step.file),
  action: step.action,
  says,
  done: problem === null,
  problem,
})

async function undoStep(step: Step, move: typeof moveFolder): Promise<Undone> {
  try {
    return step.action === 'archive' ? await undoArchive(step, move) : await undoMark(step)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { says: describeUndo(step), problem: why }
  }
}

async function undoArchive(step: ArchiveStep, move: typeof moveFolder): Promise<Undone> {
  const { from, to, state } = step
  const refused = (problem: string): Undone => ({ says: describeUndo(step), problem })
  const [isBack, isMoved] = await Promise.all([isThere(from), isThere(to)])
  if (isBack && !isMoved) return state === 'planned' ? null : refused(`it is no longer in ${to}`)
  if (isBack) {
    if (state !== 'planned') return refused(`${from} exists again; the moved folder stays in ${to}`)
    // The process ended between copying and deleting, so both are complete.
    if (!(await isSameTree(from, to))) return refused(`${from} and ${to} differ`)
    await rm(to, { recursive: true })
    await dropArchive(step)
    return null
  }
  if (!isMoved) return refused(`it is no longer in ${to}`)
  if (!(await isThere(dirname(from)))) return refused(`${dirname(from)} is gone; it stays in ${to}`)
  await move(to, from)
  await dropArchive(step)
  return { says: describeUndo(step), problem: null }
}

async function dropArchive({ to, made_archive }: ArchiveStep): Promise<void> {
  const archive = dirname(to)
  if (made_archive && (await readdir(archive)).length === 0) await rmdir(archive)
}

async function undoMark(step: MarkStep): Promise<Undone> {
  const says = describeUndo(step)
  const read = await readSkillText(step.file)
  if (typeof read === 'string') return { says, problem: read }
  const now = sha256(read.text)
  if (now === step.sha256_before) return step.state === 'planned' ? null : { says, problem: null }
  const back = applied(read.text, reversed(step))
  if (now !== step.sha256_after || sha256(back) !== step.sha256_before)
    return { says, problem: `${step.file} has changed since` }
  await writeSkillText(step.file, back, { mode: read.mode, mtimeMs: step.mtime_ms })
  return { says, problem: null }
}

const describeUndo = (step: Step): string =>
  step.action === 'archive' ? `Move it back to ${step.from}` : 'Restore its SKILL.md'

/** True if two folders have the same names, types and bytes. */
async function isSameTree(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([lstat(one), lstat(other)])
  if (a.isDirectory() && b.isDirectory()) {
    const [names, others] = await Promise.all([readdir(one), readdir(other)])
    if (names.sort().join('\0') !== others.sort().join('\0')) return false
    for (const name of names) if (!(await isSameTree(join(one, name), join(other, name)))) return false
    return true
  }
  if (a.isSymbolicLink() && b.isSymbolicLink()) return (await readlink(one)) === (await readlink(other))
  if (!a.isFile() || !b.isFile() || a.size !== b.size) return false
  return (await readFile(one)).equals(await readFile(other))
}

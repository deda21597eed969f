import { readdir, rm, rmdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { applied, reversed } from '@panoptes/engine/skill-folders'
import { type Result, type SkillChange, success } from '@panoptes/schema'
import { type ArchiveStep, type MarkStep, readDone, type Step, writeDone } from './done-file.ts'
import { isThere, moveFolder } from './move.ts'
import { isSameTree } from './same-tree.ts'
import { readSkillText, sha256, writeSkillText } from './skill-text.ts'

/** What became of a step that was to be taken back; null where it never came to pass. */
type Undone = { readonly says: string; readonly problem: string | null } | null

export interface UndoOptions {
  readonly file: string
  readonly move?: typeof moveFolder
}

/** Takes back what the last review did, the last step first. What somebody changed since stays, and is said. */
export async function undoReview({
  file,
  move = moveFolder,
}: UndoOptions): Promise<Result<readonly SkillChange[]>> {
  const read = await readDone(file)
  if (!read.ok) return read
  const reviews = read.value.map((review) => ({ ...review, steps: [...review.steps] }))
  const last = reviews.findLastIndex(({ steps }) => steps.some(({ state }) => state !== 'refused'))
  const changes: SkillChange[] = []
  // What was refused once is tried again together with the next that is taken back.
  for (const review of reviews.slice(Math.max(0, last)).reverse())
    for (const step of [...review.steps].reverse()) {
      const undone = await undoStep(step, move)
      if (undone?.problem) step.state = 'refused'
      else review.steps.splice(review.steps.indexOf(step), 1)
      const written = await writeDone(file, reviews)
      if (!written.ok) return written
      if (undone) changes.push(changeOf(step, undone))
    }
  return success(changes)
}

const changeOf = (step: Step, { says, problem }: NonNullable<Undone>): SkillChange => ({
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
    return { says: saysOf(step), problem: why }
  }
}

async function undoArchive(step: ArchiveStep, move: typeof moveFolder): Promise<Undone> {
  const { from, to, state } = step
  const refused = (problem: string): Undone => ({ says: saysOf(step), problem })
  const [isBack, isMoved] = await Promise.all([isThere(from), isThere(to)])
  if (isBack && !isMoved) return state === 'planned' ? null : refused(`it is no longer in ${to}`)
  if (isBack) {
    if (state !== 'planned') return refused(`${from} is there again; what was moved stays in ${to}`)
    // It ended between copying and removing: both are whole.
    if (!(await isSameTree(from, to))) return refused(`${from} and ${to} differ`)
    await rm(to, { recursive: true })
    await dropArchive(step)
    return null
  }
  if (!isMoved) return refused(`it is no longer in ${to}`)
  if (!(await isThere(dirname(from)))) return refused(`${dirname(from)} is gone; it stays in ${to}`)
  await move(to, from)
  await dropArchive(step)
  return { says: saysOf(step), problem: null }
}

async function dropArchive({ to, made_archive }: ArchiveStep): Promise<void> {
  const archive = dirname(to)
  if (made_archive && (await readdir(archive)).length === 0) await rmdir(archive)
}

async function undoMark(step: MarkStep): Promise<Undone> {
  const says = saysOf(step)
  const read = await readSkillText(step.file)
  if (typeof read === 'string') return { says, problem: read }
  const now = sha256(read.text)
  if (now === step.sha256_before) return step.state === 'planned' ? null : { says, problem: null }
  const back = applied(read.text, reversed(step))
  if (now !== step.sha256_after || sha256(back) !== step.sha256_before)
    return { says, problem: `${step.file} was changed since` }
  await writeSkillText(step.file, back, { mode: read.mode, mtimeMs: step.mtime_ms })
  return { says, problem: null }
}

const saysOf = (step: Step): string =>
  step.action === 'archive' ? `Move it back to ${step.from}` : 'Write its SKILL.md as it was'

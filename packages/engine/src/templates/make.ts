import { redactText } from '@panoptes/engine/redact'
import type { PastSession, Result, TaskType, TemplateNotes, TemplatePreview } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { callsOf, TURNS } from './calls.ts'
import { type CleanExample, cleaner } from './clean/index.ts'
import { judgedCalls } from './judged.ts'
import { defaultName, freeName, safeName } from './names.ts'
import type { Opening } from './past.ts'
import { kindCounts, taskTypeOf } from './task-type.ts'
import type { OwnTools } from './tool-kinds.ts'

export interface MakeOptions {
  readonly name?: string | undefined
  readonly type?: TaskType | undefined
  readonly maxExamples: number
  readonly own?: OwnTools | undefined
  /** The folder of whoever asks, which no template names. */
  readonly home: string
  /** Milliseconds. */
  readonly now: number
  /** Names that there are: where none is given, it is another. */
  readonly taken?: ReadonlySet<string> | undefined
}

/** What a template of a session would be: its first calls that worked, cleaned and shortened. */
export function makeTemplate(opening: Opening, options: MakeOptions): Result<TemplatePreview> {
  const { session } = opening
  const { turns, calls } = callsOf(opening.messages)
  const { failed, worked } = judgedCalls(calls, session.source, options.own)
  if (worked.length === 0) return failure('invalid', nothing(calls.length))
  const called = calls.map(({ tool }) => ({ tool, calls: 1 }))
  const type = options.type ?? taskTypeOf(called, options.own)
  const name = safeName(options.name ?? freeName(defaultName(type, session.id, options.now), options.taken))
  if (!name.ok) return name
  const kept = worked.slice(0, Math.max(1, options.maxExamples)).map(cleaner(options.home))
  const counts = kindCounts(called, options.own)
  const known = Object.values(counts).reduce((sum, count) => sum + count, 0)
  return success({
    template: {
      name: name.value,
      task_type: type,
      examples: kept.map(({ example }) => example),
      description: `Template with ${kept.length} examples`,
      created_at: options.now / 1_000,
      usage_count: 0,
      source_session_id: session.id,
    },
    notes: notesOf(session, kept),
    turns,
    calls: calls.length,
    failed: failed.length,
    unanswered: calls.filter(({ result }) => result === undefined).length,
    by_type: { ...counts, other: calls.length - known },
  })
}

function nothing(calls: number): string {
  const where = `in the first ${TURNS} turns of this session`
  if (calls === 0) return `No tool is called ${where}: choose another.`
  if (calls === 1) return `The one tool call ${where} did not work, or shows nothing: choose another.`
  return `None of the ${calls} tool calls ${where} worked and shows something: choose another.`
}

function notesOf(session: PastSession, kept: readonly CleanExample[]): TemplateNotes {
  return {
    source: session.source,
    title: session.title === null ? null : redactText(session.title).text,
    project: session.project,
    secrets_removed: kept.reduce((sum, { removed }) => sum + removed, 0),
    removed_by_example: kept.map(({ removed }) => removed),
    left_out: kept.reduce((sum, { leftOut }) => sum + leftOut, 0),
  }
}

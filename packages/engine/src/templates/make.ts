import { redactText } from '@panoptes/engine/redact'
import type { PastSession, Result, TaskType, TemplateNotes, TemplatePreview } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { judgeCalls, pairCalls, TURNS } from './calls.ts'
import { type CleanExample, createCleaner } from './clean/index.ts'
import { checkTemplateName, createDefaultName, findFreeName } from './names.ts'
import type { Opening } from './session-history.ts'
import { detectTaskType, kindCounts } from './task-type.ts'
import type { OwnTools } from './tool-kinds.ts'

export interface MakeOptions {
  readonly name?: string | undefined
  readonly type?: TaskType | undefined
  readonly maxExamples: number
  readonly own?: OwnTools | undefined
  /** The user's home folder, which no template may contain. */
  readonly home: string
  /** The current time in milliseconds. */
  readonly now: number
  /** Existing names, which a default name must avoid. */
  readonly taken?: ReadonlySet<string> | undefined
}

/** Builds the template of a session: its first successful calls, cleaned and shortened. */
export function makeTemplate(opening: Opening, options: MakeOptions): Result<TemplatePreview> {
  const { session } = opening
  const { turns, calls } = pairCalls(opening.messages)
  const { failed, worked } = judgeCalls(calls, session.source, options.own)
  if (worked.length === 0) return failure('invalid', explainNoExamples(calls.length))
  const called = calls.map(({ tool }) => ({ tool, calls: 1 }))
  const type = options.type ?? detectTaskType(called, options.own)
  const name = checkTemplateName(
    options.name ?? findFreeName(createDefaultName(type, session.id, options.now), options.taken),
  )
  if (!name.ok) return name
  const cleanExamples = worked.slice(0, Math.max(1, options.maxExamples)).map(createCleaner(options.home))
  const counts = kindCounts(called, options.own)
  const typedCalls = Object.values(counts).reduce((sum, count) => sum + count, 0)
  return success({
    template: {
      name: name.value,
      task_type: type,
      examples: cleanExamples.map(({ example }) => example),
      description: `Template with ${cleanExamples.length} examples`,
      created_at: options.now / 1_000,
      usage_count: 0,
      source_session_id: session.id,
    },
    notes: buildNotes(session, cleanExamples),
    turns,
    calls: calls.length,
    failed: failed.length,
    unanswered: calls.filter(({ result }) => result === undefined).length,
    by_type: { ...counts, other: calls.length - typedCalls },
  })
}

function explainNoExamples(calls: number): string {
  const where = `in the first ${TURNS} turns of this session`
  if (calls === 0) return `No tool is called ${where}. Choose another session.`
  if (calls === 1) return `The only tool call ${where} failed or has no output. Choose another session.`
  return `None of the ${calls} tool calls ${where} succeeded with output. Choose another session.`
}

function buildNotes(session: PastSession, cleanExamples: readonly CleanExample[]): TemplateNotes {
  return {
    source: session.source,
    title: session.title === null ? null : redactText(session.title).text,
    project: session.project,
    secrets_removed: cleanExamples.reduce((sum, { removed }) => sum + removed, 0),
    removed_by_example: cleanExamples.map(({ removed }) => removed),
    left_out: cleanExamples.reduce((sum, { leftOut }) => sum + leftOut, 0),
  }
}

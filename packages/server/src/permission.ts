import { PERMISSION_REQUEST, parseQuestions, QUESTION_TOOL, type Questions } from '@panoptes/engine/capture'
import { type Answer, watchMovedOn } from '@panoptes/engine/live'
import { redactEvent, redactText } from '@panoptes/engine/redact'
import { DENIED_ON_PAGE } from '@panoptes/engine/sources'
import { EVENT_VERSION, type NewEvent } from '@panoptes/schema'
import { nonEmptyText } from '@panoptes/schema/plain-object'
import { z } from 'zod'
import type { AppContext } from './app-context.ts'

/** What Claude Code accepts as its hook's answer to a permission request or a question. */
export const decision = z.object({
  hookSpecificOutput: z.object({
    hookEventName: z.literal('PermissionRequest'),
    decision: z.object({
      behavior: z.enum(['allow', 'deny']),
      message: z.string().optional(),
      updatedInput: z.record(z.string(), z.unknown()).optional(),
    }),
  }),
})
type Decision = z.infer<typeof decision>

interface HookEvents {
  readonly events: readonly NewEvent[]
  /** The payload that the events were made from. */
  readonly payload: string
}

interface Connection {
  readonly once: (event: 'close', heard: () => void) => unknown
  readonly off: (event: 'close', heard: () => void) => unknown
}

/**
 * Waits for a person's decision on the page. Undefined if there is nothing to decide, or nobody decides in time.
 */
export async function decisionFromPage(
  context: AppContext,
  { events, payload }: HookEvents,
  connection: Connection,
): Promise<Decision | undefined> {
  const waitEvent = events.find(({ event, wait }) => event === 'agent_wait' && wait === PERMISSION_REQUEST)
  // Sessions that a hook started are hidden on the page, so nobody could answer a request of theirs.
  if (waitEvent === undefined || waitEvent.from_hook === true) return undefined
  const isQuestion = waitEvent.tool === QUESTION_TOOL
  const questions = isQuestion ? questionsIn(payload) : undefined
  // Allowing a question of an unknown shape would answer it with nothing, so the client asks it itself.
  if (isQuestion && questions === undefined) return undefined
  const answer = await askPage(context, waitEvent, questions, connection)
  if (answer === undefined) return undefined
  await context.intake.append([answered(waitEvent, answer)])
  return toDecision(answer, questions)
}

function questionsIn(payload: string): Questions | undefined {
  return parseQuestions((JSON.parse(payload) as { readonly tool_input?: unknown }).tool_input)
}

async function askPage(
  { options, requests }: AppContext,
  waitEvent: NewEvent,
  questions: Questions | undefined,
  connection: Connection,
): Promise<Answer | undefined> {
  const gone = new AbortController()
  const leave = () => gone.abort()
  connection.once('close', leave)
  const request = {
    source: waitEvent.source,
    session_id: waitEvent.session_id,
    agent_id: eventAgentId(waitEvent),
    tool: nonEmptyText(waitEvent.tool),
    input_preview: nonEmptyText(waitEvent.input_preview),
    questions: [...(questions?.questions ?? [])],
  }
  const waitMs = options.config.live.answer_seconds * 1_000
  const over = new AbortController()
  if (waitMs > 0) void watchMovedOn(options.store, { ...request, ts: waitEvent.ts }, leave, over.signal)
  const answer = await requests.ask(request, waitMs, gone.signal)
  over.abort()
  connection.off('close', leave)
  return answer
}

const PREVIEW = 200

function answered(waitEvent: NewEvent, { choice, answers }: Answer): NewEvent {
  // The text is cut after redaction: part of a secret would not be recognized as one.
  const preview = answers && redactText(Object.values(answers).join(' · ')).text.slice(0, PREVIEW)
  return redactEvent({
    v: EVENT_VERSION,
    key: `answer:${waitEvent.key}`.slice(0, 512),
    ts: Date.now(),
    event: 'answer',
    source: waitEvent.source,
    host: waitEvent.host,
    session_id: waitEvent.session_id,
    agent_id: eventAgentId(waitEvent),
    choice,
    tool: waitEvent.tool,
    input_preview: waitEvent.input_preview,
    ...(preview === undefined ? {} : { answer_preview: preview }),
  }).event
}

function toDecision({ choice, answers }: Answer, questions: Questions | undefined): Decision {
  const updatedInput = questions && { ...questions.input, answers: answers ?? {} }
  return {
    hookSpecificOutput: {
      hookEventName: 'PermissionRequest',
      decision:
        choice === 'deny'
          ? { behavior: 'deny', message: DENIED_ON_PAGE }
          : { behavior: 'allow', ...(updatedInput ? { updatedInput } : {}) },
    },
  }
}

const eventAgentId = (waitEvent: NewEvent): string => nonEmptyText(waitEvent.agent_id) ?? 'main'

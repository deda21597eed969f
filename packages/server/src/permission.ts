import {
  DENIED_ON_PAGE,
  PERMISSION_REQUEST,
  QUESTION_TOOL,
  type Questions,
  questionsOf,
} from '@panoptes/engine/capture'
import { type Answer, watchMovedOn } from '@panoptes/engine/live'
import { redactEvent, redactText } from '@panoptes/engine/redact'
import { EVENT_VERSION, type NewEvent } from '@panoptes/schema'
import { z } from 'zod'
import type { Kit } from './kit.ts'
import { textOf } from './text-of.ts'

/** What Claude Code takes as the answer of its hook to a permission or a question. */
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

interface Told {
  readonly events: readonly NewEvent[]
  /** The text that the events were made of. */
  readonly payload: string
}

interface Connection {
  readonly once: (event: 'close', heard: () => void) => unknown
  readonly off: (event: 'close', heard: () => void) => unknown
}

/** What a person at the page decided; nothing where there is nothing to decide, or nobody did in time. */
export async function decisionFromPage(
  kit: Kit,
  { events, payload }: Told,
  connection: Connection,
): Promise<Decision | undefined> {
  const asked = events.find(({ event, wait }) => event === 'agent_wait' && wait === PERMISSION_REQUEST)
  // What a hook started is not shown, so nobody could answer it.
  if (asked === undefined || asked.from_hook === true) return undefined
  const isQuestion = asked.tool === QUESTION_TOOL
  const questions = isQuestion ? questionsIn(payload) : undefined
  // To allow a question whose shape is not known would answer it with nothing: the client asks it itself.
  if (isQuestion && questions === undefined) return undefined
  const answer = await askPage(kit, asked, questions, connection)
  if (answer === undefined) return undefined
  await kit.intake.append([answered(asked, answer)])
  return decisionOf(answer, questions)
}

function questionsIn(payload: string): Questions | undefined {
  return questionsOf((JSON.parse(payload) as { readonly tool_input?: unknown }).tool_input)
}

async function askPage(
  { options, requests }: Kit,
  asked: NewEvent,
  questions: Questions | undefined,
  connection: Connection,
): Promise<Answer | undefined> {
  const gone = new AbortController()
  const leave = () => gone.abort()
  connection.once('close', leave)
  const request = {
    source: asked.source,
    session_id: asked.session_id,
    agent_id: agentOf(asked),
    tool: textOf(asked.tool),
    input_preview: textOf(asked.input_preview),
    questions: [...(questions?.questions ?? [])],
  }
  const waitMs = options.config.live.answer_seconds * 1_000
  const over = new AbortController()
  if (waitMs > 0) void watchMovedOn(options.ledger, { ...request, ts: asked.ts }, leave, over.signal)
  const answer = await requests.ask(request, waitMs, gone.signal)
  over.abort()
  connection.off('close', leave)
  return answer
}

const PREVIEW = 200

function answered(asked: NewEvent, { choice, answers }: Answer): NewEvent {
  // Cut afterwards: of a secret, a part would not be known for one.
  const said = answers && redactText(Object.values(answers).join(' · ')).text.slice(0, PREVIEW)
  return redactEvent({
    v: EVENT_VERSION,
    key: `answer:${asked.key}`.slice(0, 512),
    ts: Date.now(),
    event: 'answer',
    source: asked.source,
    host: asked.host,
    session_id: asked.session_id,
    agent_id: agentOf(asked),
    choice,
    tool: asked.tool,
    input_preview: asked.input_preview,
    ...(said === undefined ? {} : { answer_preview: said }),
  }).event
}

function decisionOf({ choice, answers }: Answer, questions: Questions | undefined): Decision {
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

const agentOf = (asked: NewEvent): string => textOf(asked.agent_id) ?? 'main'

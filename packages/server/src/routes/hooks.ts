import { PERMISSION_REQUEST, parseQuestions, QUESTION_TOOL, type Questions } from '@panoptes/engine/capture'
import { type Answer, watchMovedOn } from '@panoptes/engine/live'
import { redactEvent, redactText } from '@panoptes/engine/redact'
import { DENIED_ON_PAGE } from '@panoptes/engine/sources'
import { EVENT_VERSION, lastHeardKey, type NewEvent } from '@panoptes/schema'
import { nonEmptyText } from '@panoptes/schema/plain-object'
import { z } from 'zod'
import type { AppContext } from '../app-context.ts'
import { isFromHere } from '../auth/client-address.ts'
import { notThisComputer } from '../authorize.ts'
import { type Refusal, toRefusal } from '../problem.ts'
import { withBody } from '../request-body.ts'
import { JSON_TYPE, json, type Route } from '../route.ts'
import { isStale } from '../webhooks.ts'

/** The same limit as that of the spool. */
const BODY_LIMIT = 16_777_216
/**
 * Lists which of CLAUDECODE and CLAUDE_PROJECT_DIR the client was started with; only another client's hook sets
 * both.
 */
const WITHIN = 'x-panoptes-within'
const WITHIN_HOOK = /^1:./
const body = { type: JSON_TYPE, schema: z.looseObject({ hook_event_name: z.string() }) }

/** Hooks of agents. An empty answer leaves every decision to the agent. */
export const hookRoutes = (context: AppContext): readonly Route[] => [
  postClaudeCode(context),
  postHermes(context),
]

function postClaudeCode(context: AppContext): Route {
  return {
    method: 'POST',
    path: '/hooks/claude-code',
    scope: 'ingest',
    published: true,
    summary:
      'Receives the payload of a Claude Code hook. The response is empty unless you answer a permission request or question on the page.',
    body,
    reply: { type: JSON_TYPE, schema: decision },
    answer: async ({ incoming }) => {
      let payload = ''
      const events = await withBody(incoming, BODY_LIMIT, (text) => {
        payload = text
        return store(
          context,
          'claude-code',
          text,
          WITHIN_HOOK.test(nonEmptyText(incoming.headers[WITHIN]) ?? ''),
        )
      })
      if ('status' in events) return events
      const decided = await waitForDecision(context, { events, payload }, incoming.socket)
      return decided === undefined ? emptyResponse() : json(decided)
    },
  }
}

function postHermes(context: AppContext): Route {
  return {
    method: 'POST',
    path: '/hooks/hermes',
    scope: 'signed',
    summary:
      'Receives a Hermes webhook, signed with the secret in tokens/hermes-webhook. A hub accepts it only from its own computer.',
    body,
    reply: { type: JSON_TYPE },
    answer: async ({ incoming, requestHead }) => {
      // The webhook secret belongs to this home, so on a hub a request from elsewhere is refused before its body is
      // read.
      if (context.people && !isFromHere(requestHead)) return notThisComputer
      const signature = nonEmptyText(incoming.headers['x-hermes-signature-256'])
      if (signature === null) return notSigned
      const events = await withBody(incoming, BODY_LIMIT, async (text) => {
        if (!(await context.webhooks.isSigned(text, signature))) return notSigned
        return isStale(text, Date.now()) ? stale : store(context, 'hermes', text)
      })
      return 'status' in events ? events : emptyResponse()
    },
  }
}

async function store(
  { intake, options }: AppContext,
  source: string,
  text: string,
  fromHook = false,
): Promise<readonly NewEvent[] | Refusal> {
  const reader = intake.readers.find((each) => each.source === source)
  const events = reader ? intake.capture.hook(reader, text, Date.now(), fromHook) : []
  // With a bus, events and marks take different ways, so the mark could not commit together with its events.
  const marks = options.bus ? undefined : { [lastHeardKey(source, 'http')]: `${Date.now()}` }
  const appended = await intake.append(events, marks)
  return appended.ok ? events : toRefusal(appended)
}

const emptyResponse = (): Response => new Response(null, { headers: { 'content-type': JSON_TYPE } })

const notSigned: Refusal = {
  status: 401,
  code: 'wrong_signature',
  title: 'Not signed',
  detail: 'The signature of this request is missing or invalid.',
  next: 'Sign with the secret in the file tokens/hermes-webhook of the home. To set this up: panoptes hooks install hermes',
}

const stale: Refusal = {
  status: 400,
  code: 'stale',
  title: 'Too old',
  detail: 'The time in this request is more than five minutes from now.',
  next: 'Synchronize the clocks of both computers. Panoptes rejects old requests so that nobody can replay them.',
}

/** What Claude Code accepts as its hook's answer to a permission request or a question. */
const decision = z.object({
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

interface ClosingSocket {
  readonly once: (event: 'close', heard: () => void) => unknown
  readonly off: (event: 'close', heard: () => void) => unknown
}

/**
 * Waits for a person's decision on the page. Undefined if there is nothing to decide, or nobody decides in time.
 */
async function waitForDecision(
  context: AppContext,
  { events, payload }: HookEvents,
  connection: ClosingSocket,
): Promise<Decision | undefined> {
  const waitEvent = events.find(({ event, wait }) => event === 'agent_wait' && wait === PERMISSION_REQUEST)
  // Sessions that a hook started are hidden on the page, so nobody could answer a request of theirs.
  if (waitEvent === undefined || waitEvent.from_hook === true) return undefined
  const isQuestion = waitEvent.tool === QUESTION_TOOL
  const questions = isQuestion ? parsePayloadQuestions(payload) : undefined
  // Allowing a question of an unknown shape would answer it with nothing, so the client asks it itself.
  if (isQuestion && questions === undefined) return undefined
  const answer = await askPage(context, waitEvent, questions, connection)
  if (answer === undefined) return undefined
  await context.intake.append([buildAnswerEvent(waitEvent, answer)])
  return toDecision(answer, questions)
}

function parsePayloadQuestions(payload: string): Questions | undefined {
  return parseQuestions((JSON.parse(payload) as { readonly tool_input?: unknown }).tool_input)
}

async function askPage(
  { options, requests }: AppContext,
  waitEvent: NewEvent,
  questions: Questions | undefined,
  connection: ClosingSocket,
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

function buildAnswerEvent(waitEvent: NewEvent, { choice, answers }: Answer): NewEvent {
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

import { PERMISSION_REQUEST } from '@panoptes/engine/capture'
import type { Choice } from '@panoptes/engine/live'
import { EVENT_VERSION, type NewEvent } from '@panoptes/schema'
import { z } from 'zod'
import { withBody } from '../body.ts'
import type { Kit } from '../kit.ts'
import { type Refusal, refusalOf } from '../problem.ts'
import { JSON_TYPE, json, type Route } from '../route.ts'

const BODY_LIMIT = 4_194_304
const body = { type: JSON_TYPE, schema: z.looseObject({ hook_event_name: z.string() }) }

/** What agents' hooks send. An empty answer leaves everything to the agent. */
export const hookRoutes = (kit: Kit): readonly Route[] => [postClaudeCode(kit), postHermes(kit)]

function postClaudeCode(kit: Kit): Route {
  return {
    method: 'POST',
    path: '/hooks/claude-code',
    scope: 'ingest',
    summary:
      'The payload of a Claude Code hook. The answer is empty, but for a permission that was answered from the page.',
    body,
    reply: { type: JSON_TYPE, schema: decision },
    answer: async ({ incoming }) => {
      const events = await withBody(incoming, BODY_LIMIT, (text) => store(kit, 'claude-code', text))
      if ('status' in events) return events
      const asked = events.find(({ event, wait }) => event === 'agent_wait' && wait === PERMISSION_REQUEST)
      const choice = asked && (await answerFromPage(kit, asked, incoming.socket))
      return choice === undefined ? empty() : json(decisionOf(choice))
    },
  }
}

interface Connection {
  readonly once: (event: 'close', heard: () => void) => unknown
  readonly off: (event: 'close', heard: () => void) => unknown
}

async function answerFromPage(
  kit: Kit,
  asked: NewEvent,
  connection: Connection,
): Promise<Choice | undefined> {
  const waitMs = kit.options.config.live.answer_seconds * 1_000
  if (waitMs === 0) return undefined
  const gone = new AbortController()
  const leave = () => gone.abort()
  connection.once('close', leave)
  const agent_id = textOf(asked.agent_id) ?? 'main'
  const { source, session_id } = asked
  const tool = textOf(asked.tool)
  const input_preview = textOf(asked.input_preview)
  const choice = await kit.requests.ask(
    { source, session_id, agent_id, tool, input_preview },
    waitMs,
    gone.signal,
  )
  connection.off('close', leave)
  if (choice !== undefined) await kit.intake.append([answered(asked, agent_id, choice)])
  return choice
}

const answered = (asked: NewEvent, agent_id: string, choice: Choice): NewEvent => ({
  v: EVENT_VERSION,
  key: `answer:${asked.key}`.slice(0, 512),
  ts: Date.now(),
  event: 'answer',
  source: asked.source,
  host: asked.host,
  session_id: asked.session_id,
  agent_id,
  choice,
  tool: asked.tool,
})

const decision = z.object({
  hookSpecificOutput: z.object({
    hookEventName: z.literal('PermissionRequest'),
    decision: z.object({ behavior: z.enum(['allow', 'deny']), message: z.string().optional() }),
  }),
})

const decisionOf = (choice: Choice): z.infer<typeof decision> => ({
  hookSpecificOutput: {
    hookEventName: 'PermissionRequest',
    decision:
      choice === 'allow'
        ? { behavior: 'allow' }
        : { behavior: 'deny', message: 'Denied by the user in Panoptes.' },
  },
})

function postHermes(kit: Kit): Route {
  return {
    method: 'POST',
    path: '/hooks/hermes',
    scope: 'signed',
    summary: 'A webhook of Hermes, signed with the secret in tokens/hermes-webhook.',
    body,
    reply: { type: JSON_TYPE },
    answer: async ({ incoming }) => {
      const signature = textOf(incoming.headers['x-hermes-signature-256'])
      if (signature === null) return notSigned
      const events = await withBody(incoming, BODY_LIMIT, async (text) =>
        (await kit.webhooks.isSigned(text, signature)) ? store(kit, 'hermes', text) : notSigned,
      )
      return 'status' in events ? events : empty()
    },
  }
}

async function store({ intake }: Kit, source: string, text: string): Promise<readonly NewEvent[] | Refusal> {
  const reader = intake.readers.find((each) => each.source === source)
  const events = reader ? intake.capture.hook(reader, text, Date.now()) : []
  const appended = await intake.append(events)
  return appended.ok ? events : refusalOf(appended)
}

const empty = (): Response => new Response(null, { headers: { 'content-type': JSON_TYPE } })

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

const notSigned: Refusal = {
  status: 401,
  code: 'wrong_signature',
  title: 'Not signed',
  detail: 'The signature of this request is missing or wrong.',
  next: 'Use the secret in the file tokens/hermes-webhook of the home: panoptes hooks install hermes',
}

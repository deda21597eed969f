import { heardMark, type NewEvent } from '@panoptes/schema'
import { nonEmptyText } from '@panoptes/schema/plain-object'
import { z } from 'zod'
import type { AppContext } from '../app-context.ts'
import { isFromHere } from '../auth/client-address.ts'
import { notThisComputer } from '../authorize.ts'
import { decision, decisionFromPage } from '../permission.ts'
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
      const decided = await decisionFromPage(context, { events, payload }, incoming.socket)
      return decided === undefined ? empty() : json(decided)
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
      return 'status' in events ? events : empty()
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
  const marks = options.bus ? undefined : { [heardMark(source, 'http')]: `${Date.now()}` }
  const appended = await intake.append(events, marks)
  return appended.ok ? events : toRefusal(appended)
}

const empty = (): Response => new Response(null, { headers: { 'content-type': JSON_TYPE } })

const notSigned: Refusal = {
  status: 401,
  code: 'wrong_signature',
  title: 'Not signed',
  detail: 'The signature of this request is missing or wrong.',
  next: 'Sign with the secret in the file tokens/hermes-webhook of the home. To set this up: panoptes hooks install hermes',
}

const stale: Refusal = {
  status: 400,
  code: 'stale',
  title: 'Too old',
  detail: 'The time in this request is more than five minutes from now.',
  next: 'Synchronize the clocks of both computers. Panoptes rejects old requests so that nobody can replay them.',
}

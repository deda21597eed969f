import type { NewEvent } from '@panoptes/schema'
import { z } from 'zod'
import { withBody } from '../body.ts'
import { notThisComputer } from '../guard.ts'
import type { Kit } from '../kit.ts'
import { isFromHere } from '../people/addresses.ts'
import { decision, decisionFromPage } from '../permission.ts'
import { type Refusal, refusalOf } from '../problem.ts'
import { JSON_TYPE, json, type Route } from '../route.ts'
import { textOf } from '../text-of.ts'
import { isStale } from '../webhooks.ts'

/** As much as the spool takes. */
const BODY_LIMIT = 16_777_216
/** What the client was started with: CLAUDECODE and CLAUDE_PROJECT_DIR, both only by another client's hook. */
const WITHIN = 'x-panoptes-within'
const WITHIN_HOOK = /^1:./
const body = { type: JSON_TYPE, schema: z.looseObject({ hook_event_name: z.string() }) }

/** What agents' hooks send. An empty answer leaves everything to the agent. */
export const hookRoutes = (kit: Kit): readonly Route[] => [postClaudeCode(kit), postHermes(kit)]

function postClaudeCode(kit: Kit): Route {
  return {
    method: 'POST',
    path: '/hooks/claude-code',
    scope: 'ingest',
    published: true,
    summary:
      'The payload of a Claude Code hook. The answer is empty, but for a permission or a question that was answered from the page.',
    body,
    reply: { type: JSON_TYPE, schema: decision },
    answer: async ({ incoming }) => {
      let payload = ''
      const events = await withBody(incoming, BODY_LIMIT, (text) => {
        payload = text
        return store(kit, 'claude-code', text, WITHIN_HOOK.test(textOf(incoming.headers[WITHIN]) ?? ''))
      })
      if ('status' in events) return events
      const decided = await decisionFromPage(kit, { events, payload }, incoming.socket)
      return decided === undefined ? empty() : json(decided)
    },
  }
}

function postHermes(kit: Kit): Route {
  return {
    method: 'POST',
    path: '/hooks/hermes',
    scope: 'signed',
    summary:
      'A webhook of Hermes, signed with the secret in tokens/hermes-webhook. A hub takes it from its own computer only.',
    body,
    reply: { type: JSON_TYPE },
    answer: async ({ incoming, asked }) => {
      // The secret is of this home: what others send is not read to find out that it is not signed with it.
      if (kit.people && !isFromHere(asked)) return notThisComputer
      const signature = textOf(incoming.headers['x-hermes-signature-256'])
      if (signature === null) return notSigned
      const events = await withBody(incoming, BODY_LIMIT, async (text) => {
        if (!(await kit.webhooks.isSigned(text, signature))) return notSigned
        return isStale(text, Date.now()) ? stale : store(kit, 'hermes', text)
      })
      return 'status' in events ? events : empty()
    },
  }
}

async function store(
  { intake }: Kit,
  source: string,
  text: string,
  fromHook = false,
): Promise<readonly NewEvent[] | Refusal> {
  const reader = intake.readers.find((each) => each.source === source)
  const events = reader ? intake.capture.hook(reader, text, Date.now(), fromHook) : []
  const appended = await intake.append(events)
  return appended.ok ? events : refusalOf(appended)
}

const empty = (): Response => new Response(null, { headers: { 'content-type': JSON_TYPE } })

const notSigned: Refusal = {
  status: 401,
  code: 'wrong_signature',
  title: 'Not signed',
  detail: 'The signature of this request is missing or wrong.',
  next: 'Use the secret in the file tokens/hermes-webhook of the home: panoptes hooks install hermes',
}

const stale: Refusal = {
  status: 400,
  code: 'stale',
  title: 'Too old',
  detail: 'This request says that it was sent more than five minutes from now.',
  next: 'Set the clocks of both computers right. A request that was answered before is not taken again.',
}

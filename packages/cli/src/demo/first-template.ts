import type { CreatedTemplate, InjectReply } from '@panoptes/schema'
import type { Client } from '../daemon/client.ts'
import { DEMO_SESSIONS } from './left-behind.ts'

const NAME = 'notes_parser'
const [made, began] = DEMO_SESSIONS

/** A template of one of the sessions, with which the other began, for the page of templates to show. */
export async function leaveTemplate(client: Client): Promise<void> {
  const source = 'claude-code'
  await client.json<CreatedTemplate>('/api/templates', jsonOf({ source, session_id: made, name: NAME }))
  await client.json<InjectReply>(
    '/api/templates/inject',
    jsonOf({ name: NAME, for: 'claude-hook', session: { source, id: began } }),
  )
}

const jsonOf = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

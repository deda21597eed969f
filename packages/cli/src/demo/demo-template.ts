import type { CreatedTemplate, InjectReply } from '@panoptes/schema'
import type { Client } from '../daemon/client.ts'
import { DEMO_SESSIONS } from './demo-sessions.ts'

const NAME = 'notes_parser'
const [made, began] = DEMO_SESSIONS

/**
 * Creates a template from one session and uses it in the other, so that the page for templates has content.
 */
export async function leaveTemplate(client: Client): Promise<void> {
  const source = 'claude-code'
  await client.json<CreatedTemplate>('/api/templates', jsonRequest({ source, session_id: made, name: NAME }))
  await client.json<InjectReply>(
    '/api/templates/inject',
    jsonRequest({ name: NAME, for: 'claude-hook', session: { source, id: began } }),
  )
}

const jsonRequest = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

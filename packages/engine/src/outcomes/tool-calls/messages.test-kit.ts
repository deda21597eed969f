import type { SessionRecord } from '@panoptes/engine/sources'
import type { ContentBlock, Message } from '@panoptes/schema'

export const message = (
  role: Message['role'],
  content: readonly ContentBlock[],
  more: Partial<Message> = {},
): Message => ({
  id: 'm',
  session_id: 's',
  role,
  ts: null,
  model: null,
  agent_id: 'main',
  content: [...content],
  usage: null,
  state: 'active',
  hidden: false,
  ...more,
})

export const says = (text: string, more: Partial<Message> = {}): Message =>
  message('assistant', [{ type: 'text', text }], more)

export const calls = (id: string, tool: string, input: unknown, more: Partial<Message> = {}): Message =>
  message('assistant', [{ type: 'tool_call', id, tool, input }], more)

export const answers = (
  id: string,
  text: string,
  ok: boolean | null = true,
  more: Partial<Message> & { readonly duration_ms?: number } = {},
): Message =>
  message('user', [{ type: 'tool_result', id, ok, text, duration_ms: more.duration_ms ?? null }], more)

/** A read of these messages. */
export async function* recordsOf(
  messages: readonly Message[],
  cwd: string | null = null,
): AsyncGenerator<SessionRecord> {
  for (const each of messages) yield { kind: 'message', message: each }
  yield {
    kind: 'session',
    session: {
      source: 'claude-code',
      id: 's',
      parent_id: null,
      lineage: 'root',
      title: null,
      project: null,
      cwd,
      git_branch: null,
      model: null,
      started_at: null,
      last_at: null,
      ended_at: null,
      fingerprint: 'f',
    },
  }
}

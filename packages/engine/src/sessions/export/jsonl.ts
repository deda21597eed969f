import { safeJson } from '@panoptes/engine/redact'
import type { Renderer } from './renderer.ts'

const FORMAT = 1

/** One document a line: the session, its agents, its messages in the order they are read, and what could not be. */
export const jsonl: Renderer = {
  nested: false,
  head: ({ session, agents }) =>
    [{ type: 'session', format: FORMAT, ...session }, ...agents.map((agent) => ({ type: 'agent', ...agent }))]
      .map((line) => `${safeJson(line)}\n`)
      .join(''),
  message: (message) => `${safeJson({ type: 'message', ...message })}\n`,
  agentBegins: () => '',
  agentEnds: () => '',
  foot: ({ count, parts }) =>
    count === 0 ? '' : `${safeJson({ type: 'unread', unread: count, unread_parts: parts })}\n`,
}

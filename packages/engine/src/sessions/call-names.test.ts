import type { ContentBlock, Message } from '@panoptes/schema'
import { expect, it } from 'vitest'
import { Called } from './call-names.ts'

const message = (content: ContentBlock[], more: Partial<Message> = {}): Message => ({
  id: 'm1',
  session_id: 's1',
  agent_id: 'main',
  role: 'tool',
  ts: null,
  model: null,
  content,
  usage: null,
  state: 'active',
  hidden: false,
  ...more,
})
const call = (id: string, tool: string): ContentBlock => ({ type: 'tool_call', id, tool, input: null })
const result = (id: string, ok: boolean | null): ContentBlock => {
  return { type: 'tool_result', id, ok, text: '', duration_ms: null }
}

it('names the failed tools by earlier calls in any message', () => {
  const called = new Called()
  expect(called.failedIn(message([call('c1', 'Bash'), call('c2', 'Read'), call('c3', 'Edit')]))).toEqual([])
  expect(called.failedIn(message([result('c2', false), result('c1', true)]))).toEqual(['Read'])
  expect(called.failedIn(message([result('c3', null)]))).toEqual([])
  expect(called.failedIn(message([call('c4', 'Bash'), result('c4', false)]))).toEqual(['Bash'])
})

it('names a failed tool by its result, and none if neither result nor call is known', () => {
  const called = new Called()
  expect(called.failedIn(message([result('', false)], { tool_name: 'terminal' }))).toEqual(['terminal'])
  expect(called.failedIn(message([result('gone', false)]))).toEqual([])
  called.failedIn(message([call('', 'Bash')]))
  expect(called.failedIn(message([result('', false)]))).toEqual([])
})

import { expect, it } from 'vitest'
import { messagesOf } from '../conformance/records.ts'
import {
  call,
  pathOf,
  promptRow,
  put,
  readOne,
  replied,
  result,
  tempProjects,
} from './claude-code.test-kit.ts'
import { DENIED_ON_PAGE, isDenied } from './results.ts'

it.each([
  DENIED_ON_PAGE,
  '<tool_use_error>Cancelled: Claude ended the conversation</tool_use_error>',
  'Permission to use Bash with command rm -rf x has been denied.',
  `Permission to use Bash with command ${'x'.repeat(3_000)} has been denied.`,
  'Permission for this action has been denied. Reason: it leaves the folder',
  'PreToolUse:Bash hook error: [./check.sh]: the hook says no',
  "[Tool call interrupted: the session ended before this call's result was recorded, so its outcome is unknown.]",
  '[Tool call skipped: the turn paused before this call ran.]',
  '[Request interrupted by user for tool use]',
])('treats the result "%s" as a denied or interrupted call', (text) => {
  expect(isDenied({}, text)).toBe(true)
})

it.each([
  '<tool_use_error>Error: No such tool available: Grep</tool_use_error>',
  'Exit code 1\ncat: nothing: No such file or directory',
  'PostToolUse:Bash hook error: [./check.sh]: not good enough',
  'Permission denied (publickey).',
  'No, do not.',
])('treats the result "%s" as a failure', (text) => {
  expect(isDenied({}, text)).toBe(false)
})

it("trusts the row's denial kind, whatever reason was given", () => {
  expect(isDenied({ toolDenialKind: 'permission-rule' }, 'No, do not.')).toBe(true)
  expect(isDenied({ permissionDecision: { decision: 'accept' } }, 'Exit code 4')).toBe(false)
})

it('gives denied and interrupted calls no outcome and marks calls the client refused as failed', async () => {
  const folder = tempProjects()
  const ended = (id: string, content: string) => ({
    ...result(id),
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, is_error: true }] },
  })
  put(pathOf(folder, 's'), [
    replied('m', [call('denied', 'Bash'), call('unknown', 'Grep'), call('failed', 'Bash')], [1, 1]),
    replied('n', [call('refused', 'Write'), call('cut', 'Bash')], [1, 1]),
    ended('denied', "The user doesn't want to proceed with this tool use. The tool use was rejected."),
    ended('unknown', '<tool_use_error>Error: No such tool available: Grep</tool_use_error>'),
    ended('failed', 'Exit code 1'),
    { ...ended('refused', 'Better not.'), toolDenialKind: 'permission-rule' },
    ended('cut', "[Tool call interrupted: the session ended before this call's result was recorded.]"),
  ])
  const blocks = messagesOf(await readOne(folder, 's')).flatMap(({ content }) => content)
  const results = blocks.flatMap((block) => (block.type === 'tool_result' ? [[block.id, block.ok]] : []))
  expect(Object.fromEntries(results)).toEqual({
    denied: null,
    unknown: false,
    failed: false,
    refused: null,
    cut: null,
  })
})

it('hides what the client writes on behalf of a person', async () => {
  const folder = tempProjects()
  put(pathOf(folder, 's'), [
    promptRow('go'),
    promptRow('<task-notification>\n<task-id>a</task-id>\n</task-notification>'),
    promptRow('<system-reminder>The date has changed.</system-reminder>'),
    promptRow('The coordinator sent a message', 0, { isMeta: true }),
    promptRow('what the agent found', 0, { origin: { kind: 'task-notification' } }),
    promptRow('and now?'),
  ])
  const shown = messagesOf(await readOne(folder, 's')).filter(({ hidden }) => !hidden)
  expect(shown.flatMap(({ content }) => content)).toEqual([
    { type: 'text', text: 'go' },
    { type: 'text', text: 'and now?' },
  ])
})

import type { PastMessage, SessionStep } from '@panoptes/schema'
import { outline, outlinedAgent, pastSession, spent, type ToldSession } from '../sessions.test-kit.ts'
import { agent, call, message, placed, result, text } from './messages.test-kit.ts'

const MODEL = 'claude-opus-4-8'
const main = agent('main', null, null)
const HOUR = 3_600_000
const begin = Date.now() - HOUR

/** Numbers the messages and puts them a second apart. */
const timed = (messages: readonly PastMessage[]): readonly PastMessage[] =>
  placed(messages).map((one) => ({ ...one, id: `m${one.n}`, ts: begin + one.n * 1_000 }))

const usage = {
  input: 10,
  output: 200,
  cache_read: 1_000,
  cache_write: 0,
  cache_write_1h: null,
  reasoning: null,
}
const reply = { model: MODEL, usage, cost_micro_usd: 4_000 }

const step = (change: Partial<SessionStep>): SessionStep => ({
  n: 0,
  replies: 1,
  ts: begin,
  tool_calls: 0,
  errors: 0,
  spent: spent({ input: 10, output: 200, cache_read: 1_000, cost_micro_usd: 4_000 }),
  ...change,
})

/** A session with a sub-agent whose two calls failed. */
export function parallelSession(): ToldSession {
  const probe = { agent_id: 'a1' }
  const messages = timed([
    message('user', [text('RUN:parallel')]),
    message('assistant', [call('c1', { description: 'probe', prompt: 'Look around' }, 'Agent')], reply),
    message('user', [text('Look around')], probe),
    message('assistant', [call('b1', { command: 'false' }, 'Bash')], { ...reply, ...probe }),
    message('user', [result('b1', false, 'Exit code 1')], probe),
    message('assistant', [call('b2', { command: 'exit 2' }, 'Bash')], { ...reply, ...probe }),
    message('user', [result('b2', false, 'Exit code 2')], probe),
    message('user', [result('c1', true, 'Explored')]),
    message('assistant', [call('b3', { command: 'echo merged' }, 'Bash')], reply),
    message('user', [result('b3', true, 'merged')]),
    message('assistant', [text('All of it is merged.')], reply),
  ])
  const explorer = {
    ...agent('a1', 'c1'),
    subagent_type: 'Explore',
    description: 'probe',
    messages: 5,
    spent: spent({ output: 400, cost_micro_usd: 8_000 }),
  }
  return {
    session: pastSession({
      id: 'parallel',
      title: 'RUN:parallel',
      messages: 11,
      tool_calls: 4,
      errors: 2,
      spent: spent({ input: 50, output: 1_000, cache_read: 5_000, cost_micro_usd: 20_000 }),
    }),
    agents: [main, explorer],
    messages,
    outline: outline({
      steps: [
        step({ n: 1, tool_calls: 3, errors: 2, spent: spent({ output: 600, cost_micro_usd: 12_000 }) }),
        step({ n: 8, tool_calls: 1 }),
        step({ n: 10 }),
      ],
      agents: [
        outlinedAgent(main, 0, 10, { tool_calls: 2 }),
        outlinedAgent(explorer, 2, 6, {
          made_at: 1,
          tool_calls: 2,
          errors: 2,
          started_at: begin,
          last_at: begin + 4_000,
        }),
      ],
      failed: [1],
    }),
  }
}

/** A short session with one failed call. */
export function failedSession(): ToldSession {
  const messages = timed([
    message('user', [text('RUN:failure')]),
    message('assistant', [call('f1', { command: 'make' }, 'Bash')], reply),
    message('user', [result('f1', false, 'No rule')]),
    message('assistant', [text('There is no such rule.')], reply),
  ])
  return {
    session: pastSession({ id: 'failure', title: 'RUN:failure', errors: 1 }),
    agents: [main],
    messages,
    outline: outline({
      steps: [step({ n: 1, tool_calls: 1, errors: 1 }), step({ n: 3 })],
      agents: [outlinedAgent(main, 0, 3, { tool_calls: 1, errors: 1 })],
      failed: [1],
    }),
  }
}

/** Messages of a person without answers, in a session that may still grow. */
export function growingSession(words: readonly string[]): ToldSession {
  const messages = timed(words.map((said) => message('user', [text(said)])))
  const fingerprint = `f${words.length}`
  return {
    session: pastSession({
      id: 'growing',
      title: words[0] ?? null,
      messages: words.length,
      tool_calls: 0,
      last_at: Date.now(),
      fingerprint,
    }),
    agents: [main],
    messages,
    outline: outline({ fingerprint, agents: [outlinedAgent(main, 0, words.length - 1)] }),
  }
}

/** A session of the given length: replies with one call each, and a text now and then. */
export function longSession(length: number): ToldSession {
  const messages = timed(
    Array.from({ length }, (_, n) => {
      if (n === 0) return message('user', [text('A long session')])
      if (n % 2 === 0) return message('user', [result(`c${n - 1}`, true, `made ${n - 1}`)])
      const made = call(`c${n}`, { command: `make part-${n}` }, 'Bash')
      return message('assistant', n % 40 === 1 ? [text(`Now part ${n}.`), made] : [made], reply)
    }),
  )
  return {
    session: pastSession({ id: 'long', title: 'A long session', project: 'long', messages: length }),
    agents: [main],
    messages,
    outline: outline({ agents: [outlinedAgent(main, 0, length - 1)] }),
  }
}

const EVIL =
  'evil <img src=x onerror="document.title=1"><script>document.title=2</script> \u001b[2J \u202etxt.exe'
/** The maximum length of a result in a page of the server. */
const MOST_RESULT = 50_000

/**
 * A session with hostile content: markup, terminal sequences, direction-changing characters and a very long
 * output.
 */
export function hostileSession(): ToldSession & { readonly whole: PastMessage } {
  const edit = { file_path: 'a.ts', old_string: 'const a = 1\nkept', new_string: 'const b = 2\nkept' }
  const output = EVIL.repeat(2_000)
  const answer = (shown: string, more: object) =>
    message('user', [{ ...result('e1', false, shown), ...more }])
  const messages = timed([
    message('user', [text(EVIL)]),
    message('assistant', [{ type: 'reasoning', text: 'a thought' }, call('e1', edit, 'Edit')], reply),
    {
      ...answer(output.slice(0, MOST_RESULT), { left_out: output.length - MOST_RESULT }),
      cut: true,
    },
    message('user', [
      { type: 'image', media_type: 'image/svg+xml', data: 'PHN2Zz4=' },
      text('javascript:alert(1)'),
    ]),
  ])
  const [whole] = timed([answer(output, {})])
  if (!whole) throw new Error('there is no message')
  return {
    session: pastSession({ id: 'hostile', title: EVIL, project: EVIL, errors: 1 }),
    agents: [main],
    messages,
    outline: outline({
      steps: [step({ n: 1, tool_calls: 1, errors: 1 })],
      agents: [outlinedAgent(main, 0, 3, { tool_calls: 1, errors: 1 })],
      failed: [1],
      unread: 3,
      unread_parts: [{ place: '/home/dev/hostile.jsonl:2', reason: 'is not JSON' }],
    }),
    whole: { ...whole, n: 2 },
  }
}

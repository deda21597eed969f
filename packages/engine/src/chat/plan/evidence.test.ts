import type { ProgressStatus } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import type { RuntimeEvent } from '../runtimes/port.ts'
import { createPlanEvidence } from './evidence.ts'
import { planByRules } from './rules.ts'

const call = (id: string, name: string, input: unknown, ...ends: readonly ProgressStatus[]): RuntimeEvent[] =>
  ['started' as const, ...ends].map((status) => ({
    type: 'progress',
    node_id: id,
    kind: 'tool',
    status,
    label: name,
    detail: { name, input },
  }))
const says = (delta: string): RuntimeEvent => ({ type: 'chunk', delta })
const ends = (outcome: 'completed' | 'cancelled' | 'length' = 'completed'): RuntimeEvent => ({
  type: 'end',
  outcome,
})

/** Returns the evidence a run gives for the steps of a message, as `step status`. */
function shown(message: string, ...events: readonly (RuntimeEvent | readonly RuntimeEvent[])[]) {
  const evidence = createPlanEvidence(planByRules(message))
  return events
    .flat()
    .flatMap((event) => evidence.take(event))
    .map(({ node_id, status }) => `${node_id} ${status}`)
}

const MESSAGE = 'Read the crash log, then fix the parser, and finally tell me what was wrong.'
const READ = call('c1', 'read_file', { path: '/var/log/crash.log' }, 'completed')
const FIX = call('c2', 'Edit', { file_path: 'src/parser.ts' }, 'running', 'completed')

describe('plan evidence', () => {
  it('does not accept an answer alone as evidence, whatever its text', () => {
    expect(shown(MESSAGE, says('advice of ref-a'), ends())).toEqual([])
    expect(
      shown(MESSAGE, says('1. I read the crash log. 2. I fixed the parser. 3. It was wrong.'), ends()),
    ).toEqual([])
  })

  it('starts a step with its first call and completes it when the run moves on', () => {
    expect(shown(MESSAGE, READ)).toEqual(['t1 started'])
    expect(shown(MESSAGE, READ, FIX)).toEqual(['t1 started', 't2 started', 't1 completed'])
  })

  it('completes a final text step with the whole answer, once everything before it is done', () => {
    const whole = [READ, FIX, says('The parser lost the last line.')]
    const steps = ['t1 started', 't2 started', 't1 completed']
    expect(shown(MESSAGE, ...whole, ends())).toEqual([...steps, 't2 completed', 't3 completed'])
    expect(shown(MESSAGE, ...whole, ends('length'))).toEqual(steps)
    expect(shown(MESSAGE, ...whole, ends('cancelled'))).toEqual(steps)
    expect(shown(MESSAGE, READ, says('The parser lost the last line.'), ends())).toEqual([
      't1 started',
      't1 completed',
    ])
    expect(shown(MESSAGE, says('I will look.'), READ, FIX, ends())).toEqual([...steps, 't2 completed'])
  })

  it('ignores a failed call unless it is repeated', () => {
    const failed = call('c1', 'read_file', { path: 'crash.log' }, 'failed')
    expect(shown(MESSAGE, failed, ends())).toEqual(['t1 started', 't1 failed'])
    expect(
      shown(MESSAGE, failed, call('c3', 'read_file', { path: 'crash.1.log' }, 'completed'), ends()),
    ).toEqual(['t1 started', 't1 completed'])
  })

  it('ignores tools that cannot do the step or that work on something else', () => {
    expect(shown(MESSAGE, call('c1', 'read_file', { path: 'src/parser.ts' }, 'completed'), ends())).toEqual(
      [],
    )
    expect(shown(MESSAGE, call('c1', 'Edit', { file_path: 'README.md' }, 'completed'), ends())).toEqual([])
    expect(shown(MESSAGE, call('c1', 'read_file', { path: 'catalog.json' }, 'completed'), ends())).toEqual([])
  })

  it('waits for running calls, including those of an earlier step', () => {
    const [begins] = call('c1', 'read_file', { path: 'crash.log' })
    const late = call('c1', 'read_file', { path: 'crash.log' }, 'completed').slice(1)
    expect(shown(MESSAGE, begins ? [begins] : [], FIX, late, ends())).toEqual([
      't1 started',
      't2 started',
      't1 completed',
      't2 completed',
    ])
    expect(shown(MESSAGE, begins ? [begins] : [], ends())).toEqual(['t1 started'])
  })

  it('works in Chinese as well', () => {
    const message = '先读取订单日志，然后更新库存表，最后总结原因。'
    const reads = call('c1', 'read_file', { path: '订单日志.txt' }, 'completed')
    const writes = call('c2', 'write_file', { path: '库存.csv' }, 'completed')
    expect(shown(message, reads, writes, says('原因是时区。'), ends())).toEqual([
      't1 started',
      't2 started',
      't1 completed',
      't2 completed',
      't3 completed',
    ])
  })

  it('is left to a runtime that reports steps itself or has its own plan', () => {
    const own = { type: 'progress', node_id: 't1', kind: 'step', status: 'started', label: 'x' } as const
    expect(shown(MESSAGE, own, READ, FIX, ends())).toEqual([])
    expect(shown(MESSAGE, { ...own, node_id: 'own-plan', kind: 'plan' }, READ, FIX, ends())).toEqual([])
    expect(shown(MESSAGE, { ...own, node_id: 'start' }, READ)).toEqual(['t1 started'])
  })

  it('does not exist for a single step', () => {
    expect(shown('Read the crash log.', READ, says('Done.'), ends())).toEqual([])
  })
})

describe('evidence that a step was done', () => {
  const bash = (id: string, command: string, description = '') =>
    call(id, 'Bash', { command, description }, 'completed')
  const FIX_BUG = 'Fix the login bug, then write a test and finally tell me.'
  const CSV = '首先读取 sales.csv，然后计算每月平均值，最后把结果写入 report.md。'
  const DEPLOY = 'Run the tests, then deploy the app to staging.'
  const RESTART = 'Run the migration, then restart nginx.'

  it.each([
    [MESSAGE, 'TodoWrite', { todos: [{ content: 'Read the crash log' }, { content: 'Fix the parser' }] }],
    [MESSAGE, 'todo', { todos: [{ content: 'Fix parser bug' }] }],
    [CSV, 'todo', { items: ['读取 sales.csv'] }],
    [MESSAGE, 'update_plan', { plan: [{ step: 'Fix the parser' }] }],
    [MESSAGE, 'TaskCreate', { subject: 'Fix the parser' }],
    [MESSAGE, 'AskUserQuestion', { question: 'Shall I fix the parser?' }],
    [FIX_BUG, 'remember', { text: 'login bug to fix' }],
    [FIX_BUG, 'load_skill', { name: 'write-test' }],
    [MESSAGE, 'memory_search', { query: 'crash' }],
    [MESSAGE, 'search_sessions', { query: 'crash' }],
    [MESSAGE, 'read_session', { session_id: 'crash' }],
    [CSV, 'search_sessions', { query: 'sales.csv' }],
  ])('is not a call that notes or recalls what there is to do: %s by %s', (message, tool, input) => {
    expect(shown(message, call('c', tool, input, 'completed'), ends())).toEqual([])
  })

  it('is a call that recalls something if the step asks for that', () => {
    const message = 'Read the session atlas, then fix the parser.'
    expect(shown(message, call('c', 'read_session', { session_id: 'atlas' }, 'completed'), ends())).toEqual([
      't1 started',
      't1 completed',
    ])
  })

  it.each([
    [DEPLOY, 'kubectl get pods -n staging'],
    [DEPLOY, 'kubectl -n staging get deploy/app'],
    [DEPLOY, 'cat deploy.sh staging; ls app'],
    [RESTART, 'systemctl status nginx'],
    [RESTART, 'cat migration.sql; systemctl status nginx'],
    [RESTART, 'grep -r restart /etc/nginx'],
    ['Run the tests, then commit the fix.', 'git log --oneline | grep commit'],
    ['先运行迁移脚本 migrate.sql，再重启 nginx。', 'cat migrate.sql && systemctl status nginx'],
  ])('is not a command that does something else: %s by %s', (message, command) => {
    expect(shown(message, bash('b', command), ends())).toEqual([])
  })

  it.each([
    [DEPLOY, 'kubectl apply -f app.yaml -n staging', 't2'],
    [DEPLOY, 'npm test -- --run tests', 't1'],
    [RESTART, 'sudo systemctl restart nginx', 't2'],
    [RESTART, 'psql -f migration.sql', 't1'],
    [RESTART, 'cat migration.sql | psql', null],
    ['先运行迁移脚本 migrate.sql，再重启 nginx。', 'systemctl restart nginx', 't2'],
    ['Fix the parser and push.', 'git push origin main', 't2'],
  ])('is a command that does what the step asks for: %s by %s', (message, command, step) => {
    expect(shown(message, bash('b', command), ends())).toEqual(
      step === null ? [] : [`${step} started`, `${step} completed`],
    )
  })

  it('is not what a command is described as', () => {
    expect(shown(RESTART, bash('b', 'uptime', 'Restart nginx'), ends())).toEqual([])
  })

  it('is not a look at the thing if nobody knows the verb of the step', () => {
    const message = 'First polish the README, then tell me.'
    expect(shown(message, call('c', 'read_file', { path: 'README.md' }, 'completed'), ends())).toEqual([])
    expect(shown(message, call('c', 'Edit', { file_path: 'README.md' }, 'completed'), ends())).toEqual([
      't1 started',
      't1 completed',
    ])
  })

  it('is no text for a step that makes a file or a program', () => {
    const read = call('c', 'read_file', { path: 'report.pdf' }, 'completed')
    const begun = ['t1 started', 't1 completed']
    const told = says('Here is a summary of the parser.')
    expect(shown('Read report.pdf and write a summary to summary.md.', read, told, ends())).toEqual(begun)
    expect(shown('Read report.pdf, then implement the parser.', read, told, ends())).toEqual(begun)
    expect(shown('Read report.pdf, then write a test for the parser.', read, told, ends())).toEqual(begun)
    expect(shown('Read report.pdf and write a summary.', read, told, ends())).toEqual([
      ...begun,
      't2 completed',
    ])
  })

  it('is neither success nor failure if its call was denied', () => {
    const denied = call('c', 'read_file', { path: 'crash.log' }, 'skipped')
    expect(shown(MESSAGE, denied, ends())).toEqual(['t1 started', 't1 skipped'])
  })
})

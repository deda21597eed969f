import type { SessionRecord } from '@panoptes/engine/sources'
import { describe, expect, it } from 'vitest'
import {
  accountFrom,
  agent,
  call,
  calls,
  ended,
  message,
  prompt,
  reply,
  result,
  skill,
  text,
} from './make.test-kit.ts'

describe('skill uses', () => {
  const uses = async (...records: readonly SessionRecord[]) => {
    const { skills } = await accountFrom([agent('main'), ...records])
    return skills.map(({ skill, success, duration_ms, reason, how }) => [
      skill,
      success,
      duration_ms,
      reason,
      how,
    ])
  }

  it('succeed if the load and the last call in their scope did', async () => {
    const begun = [
      calls(1, skill('a')),
      ended(2, result('a')),
      calls(3, call('b', 'Bash')),
      ended(4, result('b', false, 'exit 2\nmore')),
    ]
    const fixed = [calls(5, call('c', 'Bash')), ended(6, result('c'))]
    expect(await uses(...begun, ...fixed, reply(7))).toEqual([['tidy', true, 5_000, null, 'call']])
    expect(await uses(...begun, reply(7))).toEqual([['tidy', false, 3_000, 'Bash failed: exit 2', 'call']])
    expect(await uses(...begun, ...fixed)).toEqual([['tidy', null, null, null, 'call']])
    expect(await uses(calls(1, skill('a')), ended(2, result('a')), reply(3))).toEqual([
      ['tidy', true, 1_000, null, 'call'],
    ])
  })

  it('fail if the skill could not be loaded or the last call never ended', async () => {
    const unknown = [calls(1, skill('a')), ended(2, result('a', false, 'Unknown skill: tidy'))]
    const more = [calls(3, call('b', 'Bash')), ended(4, result('b'))]
    expect(await uses(...unknown, ...more, reply(5))).toEqual([
      ['tidy', false, 3_000, 'Skill failed: Unknown skill: tidy', 'call'],
    ])
    expect(
      await uses(calls(1, skill('a')), ended(2, result('a')), calls(3, call('b', 'Bash')), prompt(9)),
    ).toEqual([['tidy', false, null, 'Bash had no result', 'call']])
  })

  it('end at the next skill, prompt or stop, but not at messages of the client', async () => {
    const first = [
      calls(1, skill('a', 'one')),
      ended(2, result('a')),
      prompt(3, 'Base directory for this skill', { hidden: true }),
    ]
    const failing = (at: number, id: string) => [
      calls(at, call(id, 'Bash')),
      ended(at + 1, result(id, false)),
    ]
    expect(
      await uses(...first, calls(4, skill('b', 'two')), ended(5, result('b')), ...failing(6, 'c'), reply(8)),
    ).toEqual([
      ['one', true, 1_000, null, 'call'],
      ['two', false, 3_000, 'Bash failed', 'call'],
    ])
    expect(await uses(...first, prompt(4), ...failing(5, 'c'), reply(8))).toEqual([
      ['one', true, 1_000, null, 'call'],
    ])
    expect(await uses(...first, reply(4), ...failing(5, 'c'))).toEqual([['one', true, 1_000, null, 'call']])
    expect(await uses(...first, ...failing(4, 'c'), reply(8))).toEqual([
      ['one', false, 4_000, 'Bash failed', 'call'],
    ])
  })

  it('belong to one agent', async () => {
    const other = { agent_id: 'a1' }
    const { skills } = await accountFrom([
      agent('main'),
      agent('a1', { parent_id: 'main' }),
      calls(1, skill('a')),
      ended(2, result('a')),
      message('assistant', 3, [call('x', 'Bash')], other),
      message('tool', 4, [result('x', false)], other),
      message('assistant', 4.5, [text('I stop.')], other),
      calls(5, call('b', 'Bash')),
      ended(6, result('b')),
      reply(7),
    ])
    expect(skills).toMatchObject([{ agent_id: 'main', success: true, duration_ms: 5_000 }])
  })

  it('include commands that name a skill and skills that Hermes loads', async () => {
    const command = (name: string) =>
      prompt(1, `<command-message>${name}</command-message>\n<command-name>/${name}</command-name>`)
    const bash = [calls(2, call('b', 'Bash')), ended(3, result('b'))]
    expect(await uses(command('tidy'), ...bash, reply(4))).toEqual([['tidy', true, 2_000, null, 'command']])
    expect(await uses(command('compact'), ...bash, reply(4))).toEqual([])
    expect(
      await uses(prompt(1, '[IMPORTANT: The user has invoked the "pdf" skill, indicating …]'), reply(4)),
    ).toEqual([['pdf', true, null, null, 'command']])
    const view = (input: object) => [
      calls(1, call('v', 'skill_view', input)),
      ended(2, result('v')),
      reply(3),
    ]
    expect(await uses(...view({ name: 'axolotl' }))).toEqual([['axolotl', true, 1_000, null, 'call']])
    expect(await uses(...view({ name: 'axolotl', file_path: 'references/api.md' }))).toEqual([])
  })

  it('have an unknown result if the call has none', async () => {
    expect(await uses(calls(1, skill('a')), ended(2, result('a', null)), reply(3))).toEqual([
      ['tidy', null, 1_000, null, 'call'],
    ])
  })
})

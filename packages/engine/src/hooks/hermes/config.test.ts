import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { hermesEntries, removeHermesHooks, setHermesHooks } from './config.ts'
import type { DesiredHermesHooks } from './desired-hooks.ts'

const WEBHOOK: DesiredHermesHooks = {
  form: 'webhook',
  webhook: {
    name: 'panoptes',
    url: 'http://127.0.0.1:8201/hooks/hermes',
    events: ['pre_tool_call', 'subagent_start'],
    secret: 'hidden',
    timeout: 5,
  },
}
const SHELL: DesiredHermesHooks = {
  form: 'shell',
  events: ['pre_tool_call', 'subagent_start'],
  hook: { command: '/p/panoptes-hook.sh hermes /p', timeout: 5 },
}
const install = (text: string, wish: DesiredHermesHooks) => {
  const result = setHermesHooks(text, wish, 'config.yaml')
  return result.ok ? result.value : expect.fail(result.message)
}
const remove = (text: string) => {
  const result = removeHermesHooks(text, 'config.yaml')
  return result.ok ? result.value : expect.fail(result.message)
}

const TEXTS: readonly (readonly [string, string])[] = [
  ['an empty file', ''],
  ['comments alone', '# nothing yet\n'],
  ['no hooks', '# mine\nmodel:   {default: "x"}   # odd spacing\n\nagent:\n    max_turns: 90\n'],
  ['no newline at the end', 'model: x'],
  [
    'hooks of others',
    "hooks:\n    # guard\n    pre_tool_call:\n    - matcher: 'terminal'\n      command: ~/guard.sh\n# after\nmodel: x\n",
  ],
  [
    'webhooks of others',
    'hooks:\n  outbound:\n    - name: ci\n      url: https://ci.example/hook\n      events: [on_session_end]\n  hooks_auto_accept: false\nmodel: x\n',
  ],
]

describe.each(TEXTS)("Hermes' config with %s", (_name, text) => {
  it.each([
    ['webhook', WEBHOOK],
    ['shell', SHELL],
  ] as const)('takes hooks as %s, once, and gives back the same bytes without them', (_form, wish) => {
    const after = install(text, wish)
    expect(install(after, wish)).toBe(after)
    for (const line of text.split('\n')) expect(after).toContain(line)
    const back = remove(after)
    expect(back).toBe(text === '' || text.endsWith('\n') ? text : `${text}\n`)
  })
})

describe('the hooks for Hermes', () => {
  it('come after other hooks', () => {
    const [, text = ''] = TEXTS[5] ?? []
    const { hooks } = parse(install(text, WEBHOOK))
    expect(hooks.outbound.map(({ name }: { name: string }) => name)).toEqual(['ci', 'panoptes'])
    expect(hooks.outbound[1]).toEqual(WEBHOOK.form === 'webhook' ? WEBHOOK.webhook : {})
    expect(hooks.hooks_auto_accept).toBe(false)
  })

  it('change from one form to the other', () => {
    const [, text = ''] = TEXTS[4] ?? []
    const shell = install(install(text, WEBHOOK), SHELL)
    expect(hermesEntries(shell, 'f')).toMatchObject({
      ok: true,
      value: [{ list: 'pre_tool_call' }, { list: 'subagent_start' }],
    })
    expect(parse(shell).hooks.pre_tool_call).toHaveLength(2)
    expect(remove(shell)).toBe(text)
  })

  it.each(['hooks: {}\n', 'hooks:\n', 'hooks: {outbound: []}\n', '{"hooks": {"outbound": []}}\n'])(
    'find a place in %j',
    (text) => {
      const after = install(text, WEBHOOK)
      expect(parse(after).hooks.outbound).toHaveLength(1)
      expect(install(after, WEBHOOK)).toBe(after)
      expect(parse(remove(after)) ?? {}).toEqual({})
    },
  )

  it.each([
    ['a: [1\nb: 2\n', 'config.yaml:2:1: '],
    ['hooks: yes please\n', 'config.yaml:1:8: "hooks" must be a mapping'],
    ['- a\n', 'config.yaml:1:1: the config must be a mapping'],
  ])('refuse a config they cannot parse: %j', (text, message) => {
    const refused = setHermesHooks(text, WEBHOOK, 'config.yaml')
    expect(refused).toMatchObject({ ok: false, code: 'invalid' })
    expect(refused.ok ? '' : refused.message).toContain(message)
  })
})

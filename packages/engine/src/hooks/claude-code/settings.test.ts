import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CLAUDE_EVENTS, type DesiredHooks, handlersFor, isOurs } from './handlers.ts'
import { listOurEntries, removeOurHooks, setOurHooks } from './settings.ts'

const TOKEN = `pn_ing_${'a'.repeat(43)}`
const WISH: DesiredHooks = {
  events: CLAUDE_EVENTS,
  script: '/home/dev/.panoptes/hooks/panoptes-hook.sh',
  home: '/home/dev/.panoptes',
  http: { address: 'http://127.0.0.1:8201', token: TOKEN },
  preferHttp: false,
  answerSeconds: 0,
}
const install = (text: string, wish: Partial<DesiredHooks> = {}) => {
  const result = setOurHooks(text, handlersFor({ ...WISH, ...wish }), 'settings.json')
  return result.ok ? result.value : expect.fail(result.message)
}
const remove = (text: string) => {
  const result = removeOurHooks(text, 'settings.json')
  return result.ok ? result.value : expect.fail(result.message)
}
const OTHERS = `{
    "model": "opus",
    "hooks": {
        "PreToolUse": [
            {
                "matcher": "Bash",
                "hooks": [{ "type": "command", "command": "~/bin/guard.sh" }]
            }
        ]
    },
    "env": {"A": "1"}
}
`

describe('the hooks in the settings of Claude Code', () => {
  it('come after other hooks and leave everything else unchanged', () => {
    const after = install(OTHERS)
    const hooks = JSON.parse(after).hooks
    expect(hooks.PreToolUse[0].hooks[0].command).toBe('~/bin/guard.sh')
    expect(hooks.PreToolUse).toHaveLength(2)
    expect(Object.keys(hooks).sort()).toEqual([...CLAUDE_EVENTS].sort())
    for (const line of OTHERS.split('\n')) expect(after).toContain(line)
    expect(remove(after)).toBe(OTHERS)
  })

  it('stay the same after a second install and follow a new script path', () => {
    const once = install(OTHERS)
    expect(install(once)).toBe(once)
    const moved = install(once, { script: "/home/o'dev/my home/panoptes-hook.sh", home: '/srv/p' })
    expect(moved).not.toContain('/home/dev/')
    expect(moved).toContain(String.raw`'/home/o'\\''dev/my home/panoptes-hook.sh' claude-code /srv/p`)
    expect(remove(moved)).toBe(OTHERS)
  })

  it('go away when no longer wanted, and duplicates collapse into one', () => {
    const few = install(install(OTHERS), { events: ['Stop'] })
    expect(listOurEntries(few, 'f')).toMatchObject({ ok: true, value: [{ event: 'Stop' }] })
    const settings = JSON.parse(few)
    settings.hooks.Stop.push(settings.hooks.Stop[0])
    settings.hooks.Stop[0].hooks.push(settings.hooks.Stop[0].hooks[0])
    expect(JSON.parse(install(JSON.stringify(settings), { events: ['Stop'] }))).toEqual(JSON.parse(few))
  })

  it('leave a foreign handler in the same chain', () => {
    const settings = JSON.parse(install('{}'))
    settings.hooks.Stop[0].hooks.push({ type: 'command', command: 'say done' })
    expect(JSON.parse(remove(JSON.stringify(settings)))).toEqual({
      hooks: { Stop: [{ hooks: [{ type: 'command', command: 'say done' }] }] },
    })
  })

  it('use http on request, except where the client drops http hooks', () => {
    const handlers = handlersFor({ ...WISH, events: [...CLAUDE_EVENTS, 'Setup'], preferHttp: true })
    const commands = [...handlers].filter(([, { type }]) => type === 'command').map(([event]) => event)
    expect(commands).toEqual(['SessionStart', 'Setup'])
    expect(handlers.get('Stop')).toEqual({
      type: 'http',
      url: 'http://127.0.0.1:8201/hooks/claude-code',
      headers: {
        Authorization: `Bearer ${TOKEN}`,
        'X-Panoptes-Within': '$CLAUDECODE:$CLAUDE_PROJECT_DIR',
      },
      allowedEnvVars: ['CLAUDECODE', 'CLAUDE_PROJECT_DIR'],
      timeout: 5,
    })
    expect([...handlers.values()].every(isOurs)).toBe(true)
  })

  it('check once per session where the client was started from', () => {
    const handlers = handlersFor({ ...WISH, events: ['SessionStart', 'Stop'] })
    const ends = [...handlers.values()].map((handler) => 'command' in handler && handler.command.slice(-6))
    expect(ends.map((end) => end === ' start')).toEqual([true, false])
  })

  it('make only the permission answerable over http', () => {
    const handlers = handlersFor({ ...WISH, answerSeconds: 60 })
    const http = [...handlers].filter(([, { type }]) => type === 'http')
    expect(http).toMatchObject([['PermissionRequest', { timeout: 65 }]])
  })

  it('do not include similar-looking foreign entries', () => {
    for (const other of [
      { type: 'command', command: 'my-panoptes-hook.sh claude-code' },
      { type: 'command', command: 'panoptes-hook.sh codex' },
      { type: 'http', url: 'http://127.0.0.1:9/hooks/claude-code' },
      { type: 'prompt', prompt: 'panoptes-hook.sh claude-code' },
      null,
      'panoptes-hook.sh claude-code',
    ]) {
      expect(isOurs(other)).toBe(false)
    }
  })

  it.each([
    ['{"hooks": []}', 'settings.json:1:11: "hooks" must be an object'],
    ['{\n  "hooks": {"Stop": {}}\n}', 'settings.json:2:21: "hooks.Stop" must be a list'],
    ['[]', 'settings.json:1:1: the settings must be an object'],
    ['{\n  "a": 1,,\n}', 'settings.json:2:10: a name in double quotes is expected here'],
  ])('refuse settings they cannot parse: %j', (text, message) => {
    expect(setOurHooks(text, handlersFor(WISH), 'settings.json')).toMatchObject({
      ok: false,
      code: 'invalid',
      message,
    })
  })

  it('can be installed and removed without a trace in any settings', () => {
    const chain = fc.array(
      fc.record({
        matcher: fc.constantFrom('', '*', 'Bash'),
        hooks: fc.array(fc.record({ type: fc.constant('command'), command: fc.string() }), {
          minLength: 1,
          maxLength: 3,
        }),
      }),
      { minLength: 1, maxLength: 3 },
    )
    const settings = fc.record(
      {
        model: fc.string(),
        hooks: fc.dictionary(fc.constantFrom(...CLAUDE_EVENTS, 'Other'), chain, { minKeys: 1 }),
        permissions: fc.jsonValue({ maxDepth: 3 }),
      },
      { requiredKeys: ['model'] },
    )
    fc.assert(
      fc.property(settings, fc.constantFrom('', '  ', '\t'), fc.boolean(), (value, indent, http) => {
        const text = `${JSON.stringify(value, null, indent)}\n`
        const after = install(text, { preferHttp: http })
        expect(install(after, { preferHttp: http })).toBe(after)
        expect(remove(after)).toBe(text)
      }),
      { numRuns: 30 },
    )
  })
})

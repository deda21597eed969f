import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  claudeHooks,
  claudeTemplateEditor,
  hasTemplateHook,
  hookCommand,
  planInstall,
  planRemove,
  templateScriptFile,
} from './index.ts'
import { applied, install, lab, paths, uninstall, useLab } from './plan.test-kit.ts'

useLab()
let folder = ''
let file = ''
beforeEach(() => {
  ;({ folder, file } = lab())
})
const BEFORE = '{ "model":"opus",\n\n\t"hooks":   {}}'

const editor = (script = templateScriptFile(paths())) => claudeTemplateEditor(file, script, paths().home)
const planned = async (plan: ReturnType<typeof planInstall>) => {
  const made = await plan
  return made.ok ? made.value : expect.fail(made.message)
}
const ask = async (script?: string) => applied(await planned(planInstall(paths(), editor(script))))
const askNoMore = async () => applied(await planned(planRemove(paths(), editor())))
const now = () => readFile(file, 'utf8')
const starts = async (): Promise<readonly string[]> =>
  JSON.parse(await now()).hooks.SessionStart.flatMap(({ hooks }: { hooks: { command: string }[] }) =>
    hooks.map(({ command }) => /panoptes-\w+\.sh/.exec(command)?.[0]),
  )

describe('the template hook', () => {
  it('is a single command at session start, added once and removed without a trace', async () => {
    await writeFile(file, BEFORE)
    await ask()
    expect(JSON.parse(await now()).hooks).toEqual({
      SessionStart: [
        {
          hooks: [
            {
              type: 'command',
              command: hookCommand(templateScriptFile(paths()), ['claude-code', paths().home]),
              timeout: 5,
            },
          ],
        },
      ],
    })
    expect(await readFile(`${file}.panoptes-backup`, 'utf8')).toBe(BEFORE)
    expect(await planned(planInstall(paths(), editor()))).toMatchObject({ changed: false })
    await askNoMore()
    expect(await now()).toBe(BEFORE)
  })

  it.each([
    ['the last that came', [uninstallOf('templates'), uninstallOf('capture')]],
    ['the first that came', [uninstallOf('capture'), uninstallOf('templates')]],
  ])(
    'coexists with the capture hooks and restores the file in either order of removal: %s',
    async (_, gone) => {
      await writeFile(file, BEFORE)
      await applied(await install())
      await ask()
      expect(await starts()).toEqual(['panoptes-hook.sh', 'panoptes-template.sh'])
      expect(await claudeHooks(paths(), file, 'user')).toMatchObject({ state: 'installed', missing: [] })
      await gone[0]?.()
      expect(await starts()).toHaveLength(1)
      await gone[1]?.()
      expect(await now()).toBe(BEFORE)
    },
  )

  it('stays when the capture hooks are rewritten', async () => {
    await ask()
    expect(await claudeHooks(paths(), file, 'user')).toMatchObject({ state: 'absent', events: [] })
    await applied(await install())
    await applied(await install(true))
    expect(await starts()).toEqual(['panoptes-template.sh', 'panoptes-hook.sh'])
    await uninstall()
    expect(await starts()).toEqual(['panoptes-template.sh'])
    await askNoMore()
    expect(await readdir(folder)).toEqual(['home'])
  })

  it('keeps a file that contains a token private', async () => {
    const mode = async () => (await stat(file)).mode & 0o777
    await writeFile(file, '{}', { mode: 0o644 })
    await applied(await install(true))
    await ask()
    expect(await mode()).toBe(0o600)
    await askNoMore()
    expect(await mode()).toBe(0o600)
    await uninstall()
    expect([await mode(), await now()]).toEqual([0o644, '{}'])
  })

  it('keeps later foreign changes, and its backup contains no entry of Panoptes', async () => {
    await writeFile(file, BEFORE)
    await applied(await install())
    await writeFile(file, (await now()).replace('opus', 'haiku'))
    await ask()
    expect(JSON.parse(await readFile(`${file}.panoptes-backup`, 'utf8'))).toEqual({ model: 'haiku' })
    await uninstall()
    expect(await starts()).toEqual(['panoptes-template.sh'])
    await askNoMore()
    expect(JSON.parse(await now())).toEqual({ model: 'haiku' })
  })

  it('is recognised by its script and follows it to another path', async () => {
    const env = { CLAUDE_CONFIG_DIR: folder }
    expect(await hasTemplateHook(paths(), env)).toBe(false)
    await applied(await install())
    expect(await hasTemplateHook(paths(), env)).toBe(false)
    await ask('/elsewhere/panoptes-template.sh')
    expect(await hasTemplateHook(paths(), env)).toBe(false)
    await ask()
    expect(await starts()).toEqual(['panoptes-hook.sh', 'panoptes-template.sh'])
    expect(await hasTemplateHook(paths(), env)).toBe(true)
    expect(await hasTemplateHook(paths(), { CLAUDE_CONFIG_DIR: '/none' })).toBe(true)
  })
})

function uninstallOf(which: 'templates' | 'capture'): () => Promise<unknown> {
  return which === 'templates' ? askNoMore : uninstall
}

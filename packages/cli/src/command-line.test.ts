import { CommanderError } from 'commander'
import { describe, expect, it } from 'vitest'
import { makeContext } from './context.ts'
import { CommandFailure } from './failure.ts'
import { makeProgram } from './program.ts'
import { addNpx } from './terminal/invocation.ts'

/** Runs a command line and returns its help or its failure. */
async function typed(line: string): Promise<{ readonly help: string; readonly failure?: CommandFailure }> {
  let help = ''
  const keep = (text: string) => {
    help += text
  }
  const program = makeProgram(makeContext(['--json'], { HOME: '/h' }), keep)
  try {
    await program.parseAsync(line.split(' '), { from: 'user' })
  } catch (error) {
    if (error instanceof CommandFailure) return { help, failure: error }
    if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error
  }
  return { help }
}

const usageOf = (help: string): string => /^Usage: (?:npx )?panoptes (.*)$/m.exec(help)?.[1] ?? ''

describe('the help of the command line', () => {
  it('is the same for a group without a subcommand as with --help', async () => {
    for (const group of ['sessions', 'hooks', 'service']) {
      const { help, failure } = await typed(group)
      expect(failure).toBeUndefined()
      expect(help).toBe((await typed(`${group} --help`)).help)
      expect(usageOf(help)).toBe(`${group} [options] [command]`)
    }
  })

  it('describes the named command at any depth', async () => {
    for (const line of ['help sessions list', 'sessions help list', 'sessions list --help'])
      expect(usageOf((await typed(line)).help)).toBe('sessions list [options]')
    expect(usageOf((await typed('help sessions')).help)).toBe('sessions [options] [command]')
  })

  it('suggests similar commands if the name is unknown', async () => {
    for (const [line, near] of [
      ['help sttus', 'status'],
      ['help stat', 'status'],
      ['help sessions lst', 'list'],
      ['sessions help lst', 'list'],
    ] as const)
      expect((await typed(line)).failure).toMatchObject({
        code: 'usage',
        exit: 2,
        message: expect.stringContaining(`(Did you mean ${near}?)`),
      })
    expect((await typed('help qqqqq')).failure?.message).toMatch(/^unknown command 'qqqqq'\nAvailable: up, /)
  })

  it('is not shown for a surplus argument, which is rejected', async () => {
    for (const line of ['achievements list extra', 'achievements show a b', 'achievements rescan extra'])
      expect((await typed(line)).failure).toMatchObject({
        code: 'usage',
        exit: 2,
        message: expect.stringMatching(/^achievements \w+ takes /),
      })
    expect((await typed('achievements lst')).failure?.message).toContain('Did you mean achievements list?')
  })

  it('lists each option once, and only for commands that accept it', async () => {
    const { help } = await typed('export replay --help')
    const options = [...help.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, name]) => name)
    expect(options).toContain('--session')
    expect(options).toEqual([...new Set(options)])
    for (const refused of ['--kind', '--agent', '--source', '--text']) expect(options).not.toContain(refused)
  })

  it('writes commands with npx if they are run with npx', async () => {
    const program = makeProgram(makeContext([], { HOME: '/h' }), () => undefined)
    for (const command of program.commands)
      expect(addNpx(`panoptes ${command.name()}`)).toBe(`npx panoptes ${command.name()}`)
    for (const line of ['--help', 'sessions list --help', 'hooks --help'])
      expect((await typed(line)).help).not.toMatch(/(?<!npx |\/\.)panoptes [a-z[]/)
  })
})

describe('the database of a team', () => {
  it.each(['--store', '--ledger'])('can be selected with %s', async (option) => {
    const { failure } = await typed(`team spaces list ${option} mysql://db`)
    expect(failure?.message).toMatch(/^--store must be /)
  })
})

describe('usage errors', () => {
  it('name the allowed values and the help of the command', async () => {
    for (const [line, message, help] of [
      [
        'hooks install codex',
        "'codex' is not a valid agent. It must be one of: claude-code, hermes.",
        'hooks install',
      ],
      [
        'hooks install hermes --scope x',
        "'x' is not a valid value for --scope. It must be one of: user, project.",
        '',
      ],
      ['up --port x', "'x' is not a valid value for --port. It must be a whole number.", 'up'],
      [
        'sessions list --limit 0',
        "'0' is not a valid value for --limit. It must be a whole number from 1 to 1000.",
        '',
      ],
      ['sessions list --limit', '--limit needs a value: maximum number of rows', 'sessions list'],
      ['sessions show', 'sessions show needs <id>: session id or id prefix', 'sessions show'],
      ['status a', 'status takes no arguments. Unexpected: a', 'status'],
      ['up --prot 3', "unknown option '--prot'\n(Did you mean --port?)", 'up'],
      ['sessions lst', "unknown command 'lst'\n(Did you mean list?)", 'sessions'],
    ] as const) {
      const { failure } = await typed(line)
      expect(failure).toMatchObject({ code: 'usage', exit: 2, message })
      expect(failure?.next).toContain(`panoptes ${help}`)
      expect(failure?.next).toMatch(/ --help$/)
    }
  })
})

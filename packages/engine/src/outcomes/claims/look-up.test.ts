import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { says } from '../tool-calls/messages.test-kit.ts'
import { checkedOne, START } from './claims.test-kit.ts'
import { createLooking } from './file-lookup.ts'

/** A home folder with a project in it, and Panoptes' journals. */
function home() {
  const folder = mkdtempSync(join(tmpdir(), 'panoptes-claims-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const cwd = join(folder, 'project')
  const journals = join(folder, '.panoptes', 'journals')
  mkdirSync(cwd)
  const write = (path: string, text: string, at = START - 1_000) => {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    utimesSync(file, at / 1_000, at / 1_000)
  }
  const looking = createLooking({ journals, env: { HOME: folder } })
  const verdictOf = async (claim: string) => {
    const { check } = await checkedOne([says(claim, { ts: START })], { looking, cwd })
    return [check.verdict, check.says]
  }
  return { folder, cwd, looking, write, verdictOf }
}

describe('claim that points to a file', () => {
  it('holds if its number is on that line', async () => {
    const { write, cwd, looking, verdictOf } = home()
    write('project/profile.json', '{\n  "fsync": "62 %",\n  "n": 3\n}\n')
    expect(await verdictOf('62 % of time in fsync [REAL: profile.json:2]')).toEqual([
      'holds',
      'That line says 62 %',
    ])
    expect((await verdictOf(`62 % of time in fsync [REAL: ${join(cwd, 'profile.json')}:2]`))[0]).toBe('holds')
    const { check } = await checkedOne([says('62 % [REAL: ./profile.json:2]')], { looking, cwd })
    expect(check.evidence).toEqual({
      source: 'claude-code',
      session_id: 's',
      agent_id: 'main',
      n: null,
      tool_use_id: null,
      quote: '"fsync": "62 %",',
    })
  })

  it('fails if that line has another number for the same thing, unless the file changed since', async () => {
    const { write, verdictOf } = home()
    write('project/a.json', 'x\n"p95_ms": 61\nchecked 1203 invoices\n')
    write('project/b.json', 'x\n"p95_ms": 61\n', START + 1_000)
    expect(await verdictOf('p95 is 50 ms [REAL: a.json:2]')).toEqual([
      'fails',
      'That line does not say 50 ms',
    ])
    expect((await verdictOf('1204 invoices [REAL: a.json:3]'))[0]).toBe('fails')
    expect(await verdictOf('p95 is 50 ms [REAL: b.json:2]')).toEqual([
      'open',
      'That line does not say 50 ms; the file changed since',
    ])
    expect((await verdictOf('p95 is 50 ms [REAL: a.json:1]'))[0]).toBe('open')
  })

  it('is not contradicted by unrelated numbers', async () => {
    const { write, verdictOf } = home()
    write(
      'project/src/config.ts',
      'export const timeout = 30_000\nfoo(1, 2)\nconst TTL = 60 * 60 * 1000\nlimit: 4194304\nexport function a3(x1) { return x1[0] }\n"fsync": 41\n',
    )
    for (const [claim, line, verdict] of [
      ['The timeout is 30 seconds', 1, 'holds'],
      ['It has 2 arguments', 2, 'holds'],
      ['has 5 call sites', 2, 'open'],
      ['TTL is 1 hour', 3, 'open'],
      ['Limit is 4 MB', 4, 'open'],
      ['One of 3 functions', 5, 'open'],
      ['62 %', 6, 'open'],
    ] as const)
      expect([claim, (await verdictOf(`${claim} [REAL: src/config.ts:${line}]`))[0]]).toEqual([
        claim,
        verdict,
      ])
  })

  it('about a bound holds if that line is within it', async () => {
    const { write, verdictOf } = home()
    write('project/a.json', '"p95_ms": 48.7\n"share": 91\n')
    expect((await verdictOf('p95 under 50 ms [REAL: a.json:1]'))[0]).toBe('holds')
    expect((await verdictOf('over 90 % are fine [REAL: a.json:2]'))[0]).toBe('holds')
    expect((await verdictOf('over 95 % are fine [REAL: a.json:2]'))[0]).toBe('open')
  })

  it('without a line number holds if the file has the number, and is open otherwise', async () => {
    const { write, verdictOf } = home()
    write('project/README.md', 'It has 42 rooms.\n')
    expect(await verdictOf('42 rooms [REAL: README.md]')).toEqual(['holds', '42 in that file'])
    expect((await verdictOf('43 rooms [REAL: README.md]'))[0]).toBe('open')
    expect((await verdictOf('it is written down [REAL: README.md]'))[0]).toBe('holds')
  })

  it("is open for another computer's file, whatever exists locally", async () => {
    const { folder, write, cwd } = home()
    write('project/profile.json', '"fsync": "62 %"\n')
    write('.claude/memory/time-metrics/runs.jsonl', '{"agent_id":"a","took":"62 %"}\n')
    const looking = createLooking({
      journals: join(folder, 'none'),
      env: { HOME: folder },
      isElsewhere: true,
    })
    for (const pointer of [`${join(cwd, 'profile.json')}:1`, 'profile.json:1', 'runs.jsonl row 1']) {
      const { check } = await checkedOne([says(`62 % [REAL: ${pointer}]`)], { looking, cwd })
      expect([pointer, check.verdict, check.evidence]).toEqual([pointer, 'open', null])
    }
  })

  it('is open if there is no such file or line', async () => {
    const { write, verdictOf } = home()
    write('project/a.ts', 'x\n')
    expect(await verdictOf('42 rooms [REAL: src/none.ts:42]')).toEqual([
      'open',
      'Panoptes cannot find that file.',
    ])
    expect(await verdictOf('42 rooms [REAL: a.ts:42]')).toEqual(['open', 'That file has no line 42.'])
  })

  it('is open for paths that are outside, hidden, not files or too large', async () => {
    const { folder, cwd, write, verdictOf } = home()
    write('other.txt', '42')
    write('project/.env', '42')
    write('.secret/key.txt', '42')
    write('project/large.txt', `42\n${'x'.repeat(5_000_000)}`)
    mkdirSync(join(cwd, 'folder.d'))
    symlinkSync(join(folder, 'other.txt'), join(cwd, 'link.txt'))
    execFileSync('mkfifo', [join(cwd, 'pipe.txt')])
    for (const pointer of [
      '../other.txt:1',
      '.env:1',
      './.env:1',
      'link.txt:1',
      'pipe.txt:1',
      'folder.d/:1',
      'folder.d',
      'large.txt:1',
      `${join(folder, '.secret', 'key.txt')}:1`,
      '~/.secret/key.txt:1',
      '/dev/zero:1',
      '/proc/self/environ:1',
      '/proc/uptime',
    ])
      expect([pointer, (await verdictOf(`42 rooms [REAL: ${pointer}]`))[0]]).toEqual([pointer, 'open'])
    expect((await verdictOf(`42 rooms [REAL: ${join(folder, 'other.txt')}:1]`))[0]).toBe('holds')
  })
})

describe('claim that points to a journal', () => {
  it('holds if the row has its number, wherever the journal is', async () => {
    const { write, verdictOf } = home()
    write('.panoptes/journals/bench.jsonl', '{"ratio":1.0}\n{"ratio":3.1}\n')
    write('.claude/memory/time-metrics/tasks.jsonl', '{"duration_s":660,"name":"port"}\n')
    write('.panoptes/journals/agent-toolstats.jsonl', '{"agent_id":"a1b2","tool_use_count":12}\n')
    for (const pointer of ['bench#2', 'bench row 2', 'bench:2', 'bench.jsonl:2', 'journals/bench.jsonl:2'])
      expect(await verdictOf(`insert is 3.1× faster [FROM-JOURNAL: ${pointer}]`)).toEqual([
        'holds',
        'That row says 3.1',
      ])
    expect((await verdictOf('a port takes 660 s [FROM-JOURNAL: tasks#1]'))[0]).toBe('holds')
    expect((await verdictOf('12 calls [FROM-JOURNAL: agent-toolstats#a1b2]'))[0]).toBe('holds')
  })

  it('holds by the unit in a field name', async () => {
    const { write, verdictOf } = home()
    write(
      '.claude/memory/time-metrics/tasks.jsonl',
      '{"kind":"task","name":"import","duration_s":720,"ts":1}\n{"kind":"task","name":"port","duration_s":90,"cost_cents":450,"ts":2}\n{"name":"lint","took":3214}\n{"name":"map","wall_min":2.5,"cost_usd":1.2,"n":7}\n',
    )
    for (const claim of [
      'The import took 12 min [FROM-JOURNAL: tasks#import]',
      'The port took 1.5 min [FROM-JOURNAL: tasks#port]',
      'It took 90 s [FROM-JOURNAL: tasks#port]',
      'it cost $4.50 [FROM-JOURNAL: tasks#port]',
      'map took 150 s [FROM-JOURNAL: tasks#map]',
      'map cost $1.20 [FROM-JOURNAL: tasks#map]',
    ])
      expect([claim, (await verdictOf(claim))[0]]).toEqual([claim, 'holds'])
    for (const claim of [
      'The import took 11 min [FROM-JOURNAL: tasks#import]',
      'it cost $4.60 [FROM-JOURNAL: tasks#port]',
    ])
      expect([claim, (await verdictOf(claim))[0]]).toEqual([claim, 'fails'])
    for (const claim of [
      'lint took 3.2 s [FROM-JOURNAL: tasks#lint]',
      'it made 12 calls [FROM-JOURNAL: tasks#import]',
      'The import cost $3 [FROM-JOURNAL: tasks#import]',
    ])
      expect([claim, (await verdictOf(claim))[0]]).toEqual([claim, 'open'])
  })

  it('is not contradicted by a row with several numbers or a journal whose rows may have moved', async () => {
    const { write, verdictOf } = home()
    write('.panoptes/journals/bench.jsonl', '{"said":300,"took":720}\n{"bytes":4194304}\n')
    write('.panoptes/journals/agent-toolstats.jsonl', '{"agent_id":"a1","tool_use_count":13}\n')
    for (const claim of [
      'it took 2.4 times as long [FROM-JOURNAL: bench#1]',
      'it is 4 MB [FROM-JOURNAL: bench#2]',
      'it is 4MB [FROM-JOURNAL: bench#2]',
      '12 calls [FROM-JOURNAL: agent-toolstats#1]',
    ])
      expect([claim, (await verdictOf(claim))[0]]).toEqual([claim, 'open'])
    expect((await verdictOf('12 calls [FROM-JOURNAL: agent-toolstats#a1]'))[0]).toBe('fails')
  })

  it('fails if the row has another number, and is open if it does not exist', async () => {
    const { write, verdictOf } = home()
    write('.panoptes/journals/bench.jsonl', '{"ratio":1.0}\n{"ratio":3.1}\nno numbers\n')
    expect(await verdictOf('4.2× faster [FROM-JOURNAL: bench#2]')).toEqual([
      'fails',
      'That row does not say 4.2',
    ])
    expect((await verdictOf('4.2× faster [FROM-JOURNAL: bench#3]'))[0]).toBe('open')
    expect((await verdictOf('4.2× faster [FROM-JOURNAL: bench#9]'))[0]).toBe('open')
    expect((await verdictOf('4.2× faster [FROM-JOURNAL: none#9]'))[0]).toBe('open')
    expect((await verdictOf('12 tests [FROM-JOURNAL: time-metrics#42]'))[0]).toBe('open')
    expect((await verdictOf('4.2× faster [FROM-JOURNAL: ../../etc/passwd#1]'))[0]).toBe('open')
  })
})

import { moveLedger, shownPlace } from '@panoptes/engine/ledger'
import { textsIn } from '@panoptes/engine/templates'
import type { Context } from '../../context.ts'
import { connect } from '../../daemon/client.ts'
import { interruptible } from '../../daemon/signals.ts'
import { EXIT } from '../../exit-codes.ts'
import { CommandFailure, orFail } from '../../failure.ts'
import { type Progress, startProgress } from '../../terminal/progress.ts'
import { columns, count, counted } from '../../terminal/words.ts'
import { makeSpace, personOf, refuseFilled, refuseHubs, type SpacePlace, spaceOf } from './space.ts'

export interface MigrateOptions {
  readonly to: string
  readonly space?: string | undefined
  readonly check?: boolean | undefined
  /** An address, or `everybody`. */
  readonly owner?: string | undefined
}

const STAGES = { copy: 'Rows copied', fold: 'Events folded', compare: 'Rows compared' } as const

const EVERYBODY = 'everybody'
const WHOSE =
  'Say whose the conversations are to be: --owner ADDRESS for one person of the team, or --owner everybody for all in the space to read.'

const ELSEWHERE =
  'Name another space with --space. Into one with data a second history cannot be moved; this computer can send it what it has: panoptes forward --to URL --from-start'

/** The ledger of this home into a space of a team. The file stays as it is. */
export async function migrate(context: Context, options: MigrateOptions): Promise<void> {
  const { to, space, check = false } = options
  const place = await spaceOf(context, { address: to, space })
  if (place === null) throw new Error('--to names no database')
  if (await connect(context.paths)) throw running()
  await refuseFilled(place, ELSEWHERE)
  await refuseHubs(place)
  const isOpen = options.owner === EVERYBODY
  const owner = options.owner === undefined || isOpen ? undefined : await personOf(place, options.owner)
  const began = performance.now()
  const { signal, done } = interruptible()
  let progress: Progress | undefined
  try {
    if (options.owner === undefined && !check) {
      const { tables } = orFail(await moveLedger(context.paths.ledger, place, { check: true, signal }))
      if (tables.some(isSomebodys)) throw noOwner()
    }
    const moved = orFail(
      await moveLedger(context.paths.ledger, place, {
        check,
        owner,
        templates: await textsIn(context.paths.templates),
        signal,
        onProgress: (at, total) => progress?.update(at, total),
        onStage: (stage) => {
          progress?.end()
          progress = startProgress(context.output, STAGES[stage])
        },
      }),
    )
    progress?.end()
    const people = check
      ? []
      : await makeSpace(context, place, { action: 'migrate', target: toldOf(moved, options.owner) })
    const took_ms = Math.round(performance.now() - began)
    const tables = moved.tables.filter(({ rows }) => rows > 0)
    const { events, first_seq, last_seq } = moved
    context.output.answer(
      [
        check ? `${counted(events, 'event')} would move` : `${counted(events, 'event')} moved and compared`,
        ...columns(tables.map(({ table, rows }) => [table, count(rows)])),
        ...(owner === undefined && tables.some(isSomebodys)
          ? [isOpen ? 'Everybody in the space can read the conversations and what was remembered.' : WHOSE]
          : []),
        ...(check ? [] : after(place)),
        ...people,
      ],
      { ok: true, check, space: place.space, events, first_seq, last_seq, tables: moved.tables, took_ms },
    )
  } finally {
    progress?.end()
    done()
  }
}

const isSomebodys = ({ table, rows }: { readonly table: string; readonly rows: number }): boolean =>
  rows > 0 && (table === 'conversations' || table === 'facts')

const toldOf = ({ events }: { readonly events: number }, owner: string | undefined): string =>
  `${counted(events, 'event')}${owner === undefined ? '' : `, conversations of ${owner}`}`

const after = (place: SpacePlace): string[] => [
  `They are in ${shownPlace({ kind: 'postgres', ...place })}. The file stays as it is.`,
  'Start a hub with: panoptes up --ledger postgres://…',
]

const noOwner = (): CommandFailure =>
  new CommandFailure('The ledger has conversations, and nobody says whose they are to be', {
    code: 'usage',
    next: WHOSE,
    exit: EXIT.usage,
  })

const running = (): CommandFailure =>
  new CommandFailure('Panoptes runs here, and writes to the ledger that is to be moved', {
    code: 'in_use',
    next: 'Stop it with: panoptes stop (as a service: panoptes service stop). Then migrate again.',
    exit: EXIT.inUse,
  })

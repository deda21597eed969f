import { formatPlace, moveStore } from '@panoptes/engine/store'
import { readTexts } from '@panoptes/engine/templates'
import type { Context } from '../../context.ts'
import { connect } from '../../daemon/client.ts'
import { interruptible } from '../../daemon/signals.ts'
import { CommandFailure, EXIT, orFail } from '../../failure.ts'
import { columns, count, plural } from '../../terminal/format.ts'
import { type Progress, startProgress } from '../../terminal/progress.ts'
import { findPerson, makeSpace, refuseFilled, refuseHubs, resolveSpace, type SpacePlace } from './space.ts'

export interface MigrateOptions {
  readonly to: string
  readonly space?: string | undefined
  readonly check?: boolean | undefined
  /** An email address, or `everybody`. */
  readonly owner?: string | undefined
}

const STAGES = { copy: 'Rows copied', fold: 'Events applied', compare: 'Rows compared' } as const

const EVERYBODY = 'everybody'
const OWNER_HINT =
  'Choose an owner: --owner EMAIL for one person of the team, or --owner everybody to let everyone in the space read them.'

const ELSEWHERE =
  'Choose another space with --space. A space with data cannot take a second history. To send this computer’s events to it instead: panoptes forward --to URL --from-start'

/** Copies the store of this home into a space of a team. The file stays unchanged. */
export async function migrate(context: Context, options: MigrateOptions): Promise<void> {
  const { to, space, check = false } = options
  const place = await resolveSpace(context, { address: to, space })
  if (place === null) throw new Error('--to is not a database URL')
  if (await connect(context.paths)) throw storeInUse()
  await refuseFilled(place, ELSEWHERE)
  await refuseHubs(place)
  const isOpen = options.owner === EVERYBODY
  const owner = options.owner === undefined || isOpen ? undefined : await findPerson(place, options.owner)
  const began = performance.now()
  const { signal, done } = interruptible()
  let progress: Progress | undefined
  try {
    if (options.owner === undefined && !check) {
      const { tables } = orFail(await moveStore(context.paths.store, place, { check: true, signal }))
      if (tables.some(needsOwner)) throw missingOwner()
    }
    const moved = orFail(
      await moveStore(context.paths.store, place, {
        check,
        owner,
        templates: await readTexts(context.paths.templates),
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
      : await makeSpace(context, place, { action: 'migrate', target: describeMove(moved, options.owner) })
    const took_ms = Math.round(performance.now() - began)
    const tables = moved.tables.filter(({ rows }) => rows > 0)
    const { events, first_seq, last_seq } = moved
    context.output.answer(
      [
        check ? `${plural(events, 'event')} would move` : `${plural(events, 'event')} moved and compared`,
        ...columns(tables.map(({ table, rows }) => [table, count(rows)])),
        ...(owner === undefined && tables.some(needsOwner)
          ? [isOpen ? 'Everyone in the space can read the conversations and remembered facts.' : OWNER_HINT]
          : []),
        ...(check ? [] : nextSteps(place)),
        ...people,
      ],
      { ok: true, check, space: place.space, events, first_seq, last_seq, tables: moved.tables, took_ms },
    )
  } finally {
    progress?.end()
    done()
  }
}

const needsOwner = ({ table, rows }: { readonly table: string; readonly rows: number }): boolean =>
  rows > 0 && (table === 'conversations' || table === 'facts')

const describeMove = ({ events }: { readonly events: number }, owner: string | undefined): string =>
  `${plural(events, 'event')}${owner === undefined ? '' : `, conversations of ${owner}`}`

const nextSteps = (place: SpacePlace): string[] => [
  `They are in ${formatPlace({ kind: 'postgres', ...place })}. The file stays as it is.`,
  'Start a hub with: panoptes up --store postgres://…',
]

const missingOwner = (): CommandFailure =>
  new CommandFailure('The store has conversations, and --owner is missing', {
    code: 'usage',
    next: OWNER_HINT,
    exit: EXIT.usage,
  })

const storeInUse = (): CommandFailure =>
  new CommandFailure('Panoptes is running and writes to this store', {
    code: 'in_use',
    next: 'Stop it with panoptes stop (as a service: panoptes service stop), then migrate again.',
    exit: EXIT.inUse,
  })

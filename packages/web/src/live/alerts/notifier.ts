import type { Cause, CauseKind } from './causes.ts'

/** A visible notification that can be closed. */
interface Shown {
  close(): void
}

interface NotifierOptions {
  readonly show: (kind: CauseKind, causes: readonly Cause[]) => Shown | null
  readonly isQuiet: () => boolean
  readonly isInView: (cause: Cause) => boolean
  readonly mergeMs?: number
}

const MERGE_MS = 5_000

/** Announces each cause once, combines those of one kind within five seconds, and closes it when the cause is gone. */
export function createNotifier(options: NotifierOptions) {
  const notifiedIds = new Set<string>()
  const shown: { readonly ids: Set<string>; readonly note: Shown }[] = []
  let waiting: Cause[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let alive: ReadonlySet<string> = new Set()

  const flush = () => {
    timer = undefined
    const due = waiting.filter((cause) => alive.has(cause.id) && !options.isInView(cause))
    waiting = []
    if (options.isQuiet()) return
    for (const kind of ['waiting', 'stuck', 'failed'] as const) {
      const own = due.filter((cause) => cause.kind === kind)
      if (own.length === 0) continue
      const note = options.show(kind, own)
      if (note) shown.push({ ids: new Set(own.map((cause) => cause.id)), note })
    }
  }

  return {
    see: (causes: readonly Cause[]): void => {
      alive = new Set(causes.map((cause) => cause.id))
      for (const one of [...shown]) {
        if ([...one.ids].some((id) => alive.has(id))) continue
        one.note.close()
        shown.splice(shown.indexOf(one), 1)
      }
      for (const id of notifiedIds) if (!alive.has(id)) notifiedIds.delete(id)
      for (const cause of causes) {
        if (notifiedIds.has(cause.id)) continue
        notifiedIds.add(cause.id)
        if (!options.isInView(cause)) waiting.push(cause)
      }
      if (waiting.length > 0 && timer === undefined) timer = setTimeout(flush, options.mergeMs ?? MERGE_MS)
    },
    stop: (): void => {
      clearTimeout(timer)
      for (const one of shown.splice(0)) one.note.close()
    },
  }
}

import { type TreeOptions, watchTree } from '../file-tree.ts'
import { databaseMark } from './marks.ts'

/** While its program writes, a database is checked this often, because events arrive by the thousand. */
const LOOK_MS = 400
/** The checks end when nothing happened for this long. */
const QUIET_MS = 2_000

/**
 * Calls back when one of the databases in a tree changed. Which session changed is only known after a query.
 */
export function watchDatabases(
  tree: TreeOptions,
  listPaths: () => Promise<readonly string[]>,
  changed: () => void,
  everyMs = LOOK_MS,
): () => void {
  let previous: string | undefined
  let ended = false
  let isLooking = false
  let quietAt = 0
  let timer: NodeJS.Timeout | undefined
  const look = async () => {
    isLooking = true
    const paths = await listPaths().catch(() => [])
    const marks = paths.map((path) => ({ path, mark: databaseMark(path) }))
    const seen = marks.map(({ path, mark }) => `${path} ${mark?.text}`).join('\n')
    isLooking = false
    if (ended) return
    if (previous !== undefined && seen !== previous) changed()
    // The same mark may still come to mean different content, so it is reported once more.
    const settled = marks.every(({ mark }) => mark === undefined || mark.settled)
    previous = settled ? seen : `${seen}\n`
    timer = settled && performance.now() > quietAt ? undefined : setTimeout(look, everyMs).unref()
  }
  const unwatch = watchTree(tree, () => {
    quietAt = performance.now() + QUIET_MS
    if (timer === undefined && !isLooking) void look()
  })
  void look()
  return () => {
    ended = true
    clearTimeout(timer)
    unwatch()
  }
}

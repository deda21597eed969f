/** The uid that owns no files, by convention. */
const NOBODY = 65_534

/**
 * Runs an action as a user to whom file permissions apply. They do not apply to root, so as root it switches
 * to another user; the files must then be in folders that this user can reach.
 */
export async function asOrdinaryUser<T>(action: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return action()
  process.seteuid?.(NOBODY)
  try {
    return await action()
  } finally {
    process.seteuid?.(0)
  }
}

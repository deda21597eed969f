/** The user that owns nothing, by custom. */
const NOBODY = 65_534

/**
 * Runs an action as a user who is bound by the permissions of files. Root is not, so as root it runs as another user,
 * who must be able to reach the files: their folders are made for the owner alone otherwise.
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

let usual: number | undefined

/** Makes everything that this process writes private to the user from here on. */
export function setPrivateUmask(): void {
  usual = process.umask(0o077)
}

/**
 * Uses the usual permissions for files that others may use: the page of a clone, a unit of the system, a
 * started browser.
 */
export async function withUserUmask<T>(work: () => Promise<T>): Promise<T> {
  if (usual === undefined) return work()
  const own = process.umask(usual)
  try {
    return await work()
  } finally {
    process.umask(own)
  }
}

/** An address as it is meant: without a slash, a query or a fragment at its end. */
export const hubUrl = (to: string): URL => {
  const { origin, pathname } = new URL(to)
  return new URL(origin + pathname.replace(/\/+$/, ''))
}

/** The same as a text, as people write it. */
export const nameOf = (hub: URL): string => hub.href.replace(/\/$/, '')

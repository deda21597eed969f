import type { IncomingHttpHeaders } from 'node:http'

/** Whether a browser navigates, and so wants a page instead of JSON. */
export const isNavigation = (headers: IncomingHttpHeaders): boolean =>
  headers['sec-fetch-mode'] === 'navigate' || (headers.accept?.includes('text/html') ?? false)

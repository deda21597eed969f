const BETWEEN = '\u001f'

/**
 * Names the reporter of sessions: a home of Panoptes on a computer. Two of them may be on computers
 * with the same name.
 */
export const formatUploaderId = (host: string, home: string | undefined): string =>
  home === undefined ? host : `${host}${BETWEEN}${home}`

export const readUploaderHost = (uploader: string): string => uploader.split(BETWEEN, 1)[0] ?? uploader

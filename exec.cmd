@rem npm start on Windows, whose command line has no exec: the scripts of package.json begin with it so that signals reach them.
@%*
